import type { AnswerKind, GivenAnswer } from '../answers/answer.js';
import type { ShownProgress, ShownRecord } from '../task/shown-record.js';
import { askText, openDialog, showKeys } from './dialogs.js';
import { button, element } from './dom.js';
import { Editor } from './editor.js';
import { markdownContent } from './guidelines.js';
import { type Command, KeyMap, keysOf } from './key-map.js';
import { endContent, foundItems } from './record-lists.js';
import { type Answers, agreementContent, versionButtons } from './review-content.js';
import { actionPanel, labelBar, progressFacts, whyContent } from './side-panels.js';
import { LabelLook, TokenView } from './token-view.js';

/** A request that the server rejected or did not receive. */
class RequestError extends Error {
  /** The server's error code; undefined if it does not answer. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Path of the page, as published by a proxy; requests go below it. */
const pagePath = location.pathname.replace(/\/?$/, '/');

/** Annotator of the page, taken from its address. */
export const annotator = new URLSearchParams(location.search).get('annotator');

/**
 * Sends a request to the page's server.
 *
 * @throws (rejects with) RequestError
 */
export async function ask<Answer>(path: string, body: object = {}): Promise<Answer> {
  const query = annotator === null ? '' : `?annotator=${encodeURIComponent(annotator)}`;
  let response: Response;
  try {
    response = await fetch(`${pagePath}api/${path}${query}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new RequestError('the server does not respond: start it again');
  }
  const text = await response.text();
  if (response.ok) return JSON.parse(text) as Answer;
  throw errorOf(text, response.status);
}

function errorOf(text: string, status: number): RequestError {
  try {
    const { error, fix, code } = JSON.parse(text) as Record<string, string | undefined>;
    return new RequestError(`${error}${fix === undefined ? '' : ` (${fix})`}`, code ?? 'error');
  } catch {
    return new RequestError(text === '' ? `status ${status}` : text, 'error');
  }
}

/** Milliseconds for which the drawing of a change waits for its proposal: imperceptible. */
const patience = 25;

/** Milliseconds between checks of the server, and milliseconds for which its return is reported. */
const [beatEvery, backFor] = [2000, 5000];

/** The page on which an annotator labels records, one after the other. */
export class AnnotationPage {
  readonly #start: Answers['start'];
  readonly #keys: KeyMap;
  readonly #look: LabelLook;
  readonly #banner = element('p', { class: 'banner', attributes: { role: 'alert', hidden: '' } });
  readonly #connection = element('p', {
    class: 'banner',
    attributes: { role: 'status', hidden: '' },
  });
  #isGone = false;
  readonly #status = element('p', { class: 'soft', attributes: { role: 'status' } });
  readonly #done = element('progress', { attributes: { 'aria-label': 'Answered records' } });
  #answered = 0;
  readonly #text = element('section', { attributes: { 'aria-label': 'Record' } });
  readonly #bar = element('div', {
    class: 'bar',
    attributes: { role: 'group', 'aria-label': 'Labels and answers' },
  });
  readonly #side = element('aside', { attributes: { 'aria-label': 'Progress and more' } });
  readonly #facts = element('div', {}, element('h2', {}, 'Progress'));
  readonly #why = element('div', { class: 'why', attributes: { 'aria-live': 'polite' } });
  #editor: Editor | undefined;
  #view: TokenView | undefined;
  /** The pending proposal, and the number of requests so far. */
  #proposal: Promise<void> = Promise.resolve();
  #asked = 0;
  #busy = false;

  constructor(root: HTMLElement, start: Answers['start']) {
    this.#start = start;
    this.#keys = new KeyMap(start.task.names.length);
    this.#look = new LabelLook(start.task);
    const who = start.annotator === '' ? '' : `, ${start.annotator}`;
    root.replaceChildren(
      element('header', {}, element('h1', {}, `${start.queue}${who}`), this.#status, this.#done),
      this.#connection,
      this.#banner,
      element('main', {}, this.#text, element('div', { class: 'panel' }, this.#bar, this.#side)),
    );
    // On a phone the bar covers the end of the page, so the page is extended by the bar's height.
    new ResizeObserver(() => {
      document.documentElement.style.setProperty('--bar', `${this.#bar.offsetHeight}px`);
    }).observe(this.#bar);
    this.#drawSide();
    this.#showProgress(start.progress);
    this.#open(start.next);
    document.addEventListener('keydown', event => this.#onKey(event));
    const left = unsaved.get();
    if (left !== undefined) void this.#send(left);
    setInterval(() => void this.#beat(), beatEvery);
  }

  /** Reports when the server stops, and when it is back. */
  async #beat(): Promise<void> {
    if (document.hidden) return;
    try {
      await ask<Answers['alive']>('alive');
    } catch {
      this.#isGone = true;
      this.#connection.hidden = false;
      this.#connection.classList.remove('good');
      this.#connection.textContent =
        'The server has stopped: start the command again. Your answers are on disk, and this page keeps its state.';
      return;
    }
    if (!this.#isGone) return;
    this.#isGone = false;
    const again =
      unsaved.get() === undefined ? '' : ` ${this.#keys.keyOf('accept')} sends your answer.`;
    this.#connection.classList.add('good');
    this.#connection.textContent = `The server is back.${again}`;
    setTimeout(() => {
      if (!this.#isGone) this.#connection.hidden = true;
    }, backFor);
  }

  #drawSide(): void {
    const { task, guidelines } = this.#start;
    const { names } = task;
    const onCommand = (command: Command) => void this.#run(command);
    this.#bar.replaceChildren(
      ...labelBar(names, {
        ...{ look: this.#look, keys: this.#keys, kind: task.kind, onCommand },
        onLabel: label => this.#label(label),
      }),
    );
    this.#side.replaceChildren(
      this.#why,
      this.#facts,
      ...(guidelines === undefined
        ? []
        : [
            element(
              'div',
              {},
              element('h2', {}, 'Guidelines'),
              element(
                'div',
                {
                  class: 'guidelines',
                  attributes: { tabindex: '0', role: 'region', 'aria-label': 'Guidelines' },
                },
                ...markdownContent(guidelines),
              ),
            ),
          ]),
      actionPanel(this.#keys, onCommand),
    );
  }

  #open(record: ShownRecord | null): void {
    this.#view?.close();
    this.#why.replaceChildren();
    this.#bar.classList.toggle('idle', record === null);
    if (record === null) {
      this.#editor = undefined;
      this.#view = undefined;
      this.#text.replaceChildren(
        ...endContent(this.#start, this.#answered, () => void this.#run('save')),
      );
      return;
    }
    this.#editor = new Editor(record, this.#start.task);
    this.#view = new TokenView(record, this.#editor.state, this.#look, (token, extend) => {
      this.#editor!.move(token, extend);
      this.#redraw();
    });
    const { id, answered, asked } = record;
    const about = [
      `Record ${record.record + 1}${id === undefined ? '' : `, ${id}`}`,
      ...(record.decided === undefined || answered !== undefined
        ? []
        : ['annotators agree on everything that is not marked']),
      ...(asked === undefined
        ? []
        : [`${asked.length} of ${record.tokens.length} tokens are asked`]),
      ...(answered === undefined
        ? []
        : [
            `answered: ${answered.answer}${answered.note === undefined ? '' : `, ${answered.note}`}`,
          ]),
    ];
    this.#text.replaceChildren(
      element('p', { class: 'soft' }, about.join(' · ')),
      this.#view.root,
      ...versionButtons(record, this.#look, tags => {
        this.#editor!.takeVersion(tags);
        this.#propose();
        this.#view!.root.focus();
      }),
    );
    this.#view.root.focus();
  }

  #redraw(): void {
    if (this.#editor !== undefined) this.#view?.update(this.#editor.state);
  }

  #showProgress(progress: ShownProgress): void {
    const { answered, total } = progress;
    this.#answered = answered;
    this.#status.textContent = `${answered} of ${total} answered`;
    this.#done.max = Math.max(total, 1);
    this.#done.value = answered;
    this.#facts.replaceChildren(
      element('h2', {}, 'Progress'),
      ...progressFacts(progress, this.#start.task.kind),
    );
  }

  #onKey(event: KeyboardEvent): void {
    const open = document.querySelector('dialog[open]') !== null;
    const onButton =
      event.target instanceof HTMLButtonElement && ['Enter', ' '].includes(event.key);
    if (open || onButton || event.altKey || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && keysOf(event).includes('z')) {
      event.preventDefault();
      void this.#run('undo');
      return;
    }
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      event.preventDefault();
      this.#step(event.key === 'ArrowRight', event.shiftKey);
      return;
    }
    const meaning = this.#keys.meaningOf(event);
    if (meaning === undefined) return;
    event.preventDefault();
    if (typeof meaning === 'number') this.#label(this.#start.task.names[meaning]!);
    else void this.#run(meaning);
  }

  /** Moves in visual order: in right-to-left text the right arrow goes back. */
  #step(right: boolean, extend: boolean): void {
    const editor = this.#editor;
    if (editor === undefined || this.#view === undefined) return;
    const isReversed = getComputedStyle(this.#view.root).direction === 'rtl';
    editor.move(editor.cursor + (right === isReversed ? -1 : 1), extend);
    this.#redraw();
  }

  #label(label: string): void {
    if (this.#editor === undefined || this.#busy) return;
    this.#editor.mark(label);
    this.#propose();
  }

  /**
   * Requests a new proposal given the fixed tags; an outdated reply is ignored. The change is drawn
   * together with the reply unless that is noticeably late, as drawing twice would take time from
   * decoding.
   */
  #propose(): void {
    const editor = this.#editor!;
    this.#asked += 1;
    const number = this.#asked;
    const { record } = editor.record;
    const { fixed } = editor;
    const drawing = setTimeout(() => {
      if (editor === this.#editor) this.#redraw();
    }, patience);
    this.#proposal = ask<Answers['propose']>('propose', { record, fixed }).then(
      ({ tags, marginals }) => {
        if (number !== this.#asked || editor !== this.#editor) return;
        clearTimeout(drawing);
        editor.take(tags, marginals);
        this.#redraw();
        this.#say(undefined);
      },
      error => this.#say(error),
    );
  }

  async #run(command: Command): Promise<void> {
    const editor = this.#editor;
    if (this.#busy) return;
    switch (command) {
      case 'accept': {
        const left = unsaved.get();
        if (left === undefined) return this.#answer('accept');
        await this.#send(left);
        return;
      }
      case 'reject':
      case 'skip':
        return this.#answer(command);
      case 'flag':
        return askText(
          { title: 'What should the reviewer check?', action: 'Flag' },
          (note, dialog) => {
            dialog.close();
            void this.#answer('flag', note);
          },
        );
      case 'undo':
        return this.#undo();
      case 'search':
        return this.#search();
      case 'answers':
        return this.#showAnswered();
      case 'jump':
        return askText({ title: 'Number of the record', action: 'Go' }, (text, dialog) => {
          dialog.close();
          void this.#show(Number(text) - 1);
        });
      case 'save':
        return this.#try(async () => {
          const { file } = await ask<Answers['save']>('save');
          this.#status.textContent = `The model is in ${file}`;
        });
      case 'keys':
        return showKeys(this.#keys, this.#start.task.names, () => this.#drawSide());
      case 'why':
        return this.#explain();
      case 'agreement':
        return this.#try(async () => {
          const found = await ask<Answers['agreement']>('agreement');
          openDialog('Agreement', ...agreementContent(found));
        });
      default:
        if (editor === undefined) return;
        this.#edit(editor, command);
    }
  }

  #edit(editor: Editor, command: Command): void {
    if (command === 'clear') {
      editor.clear();
      this.#propose();
      return;
    }
    const places: Partial<Record<Command, number>> = {
      first: 0,
      last: editor.record.tokens.length - 1,
      nextSpan: editor.spanFrom(1),
      previousSpan: editor.spanFrom(-1),
      nextUnsure: editor.unsureFrom(1),
      previousUnsure: editor.unsureFrom(-1),
    };
    editor.move(places[command] ?? editor.cursor, false);
    this.#redraw();
  }

  async #answer(answer: AnswerKind, note?: string): Promise<void> {
    const editor = this.#editor;
    if (editor === undefined) return;
    const [open] = editor.undecided;
    if (answer === 'accept' && open !== undefined) {
      editor.move(open, false);
      this.#redraw();
      this.#say(new Error(openTokens(editor.undecided.length)));
      return;
    }
    this.#busy = true;
    // The last proposal may not have arrived yet.
    await this.#proposal;
    this.#busy = false;
    const fixed = editor.fixed.flatMap((tag, t) => (tag === null ? [] : [t]));
    const { record, showing, asked } = editor.record;
    // An unsaved answer can be replaced only by one to the same record.
    const left = unsaved.get();
    if (left !== undefined && left.record !== record && !(await this.#send(left))) return;
    await this.#send({
      ...{ record, showing, asked, answer, corrections: editor.corrections, fixed, note },
      ...(answer === 'accept' ? { tags: editor.tags } : {}),
      key: crypto.getRandomValues(new Uint32Array(3)).join('-'),
    });
  }

  /**
   * Sends an answer, and keeps it until the server has it on the disk.
   *
   * @returns whether the server has accepted or rejected it
   */
  async #send(answer: GivenAnswer): Promise<boolean> {
    this.#busy = true;
    unsaved.set(answer);
    try {
      const { next, progress } = await ask<Answers['answer']>('answer', answer);
      unsaved.clear();
      this.#say(undefined);
      this.#showProgress(progress);
      this.#open(next);
      return true;
    } catch (error) {
      const refused = error instanceof RequestError && error.code === 'usage';
      if (refused) unsaved.clear();
      const again = `your answer is kept here; ${this.#keys.keyOf('accept')} sends it again`;
      this.#say(refused ? error : new Error(`Not saved, ${again}: ${(error as Error).message}`));
      return refused;
    } finally {
      this.#busy = false;
    }
  }

  async #undo(): Promise<void> {
    if (this.#editor?.undo() === true) return this.#propose();
    // An answer in transit may already be on the disk, as the last one.
    const left = unsaved.get();
    if (left !== undefined && !(await this.#send(left))) return;
    await this.#try(async () => {
      const { next, progress } = await ask<Answers['undo']>('undo');
      this.#showProgress(progress);
      if (next !== null) this.#open(next);
    });
  }

  async #show(record: number): Promise<void> {
    await this.#try(async () => {
      const { next } = await ask<Answers['show']>('show', { record });
      this.#open(next);
    });
  }

  #search(): void {
    const list = element('ul', { class: 'found', attributes: { 'aria-live': 'polite' } });
    const from = this.#editor?.record.record ?? 0;
    askText(
      { title: 'Search in all records', action: 'Search' },
      text =>
        void this.#try(async () => {
          const { found } = await ask<Answers['search']>('search', { text, from });
          list.replaceChildren(...foundItems(found, text, record => this.#goTo(record)));
          if (found.length === 0)
            list.replaceChildren(element('li', {}, 'No record has this text.'));
          list.querySelector('button')?.focus();
        }),
      list,
    );
  }

  /** Lists the answers, newest first; each press lists more. */
  async #showAnswered(): Promise<void> {
    const list = element('ul', { class: 'found' });
    let shown = 0;
    const more = button(() => void this.#try(show), {}, 'Show more');
    const show = async () => {
      const { found, total } = await ask<Answers['answered']>('answered', { from: shown });
      list.append(...foundItems(found, '', record => this.#goTo(record)));
      if (total === 0) list.append(element('li', {}, 'No answers yet.'));
      shown += found.length;
      more.hidden = shown >= total;
    };
    await this.#try(async () => {
      await show();
      openDialog('Answered records', list, more);
      list.querySelector('button')?.focus();
    });
  }

  #goTo(record: number): void {
    document.querySelector<HTMLDialogElement>('dialog[open]')?.close();
    void this.#show(record);
  }

  async #explain(): Promise<void> {
    const editor = this.#editor;
    if (editor === undefined) return;
    await this.#try(async () => {
      const { record } = editor.record;
      const { cursor: token, fixed } = editor;
      const answer = await ask<Answers['explain']>('explain', { record, token, fixed });
      this.#why.replaceChildren(
        element('h2', {}, 'Why'),
        ...whyContent(answer, editor.record.tokens, this.#look),
      );
      this.#why.scrollIntoView({ block: 'start' });
    });
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#say(undefined);
    } catch (error) {
      this.#say(error);
    }
  }

  #say(error: unknown): void {
    this.#banner.hidden = error === undefined;
    this.#banner.textContent =
      error === undefined ? '' : error instanceof Error ? error.message : String(error);
  }
}

function openTokens(count: number): string {
  const tokens = count === 1 ? 'One word is' : `${count} words are`;
  return `${tokens} still to be decided: give a label, or none, or take what one says`;
}

/** One origin may host pages of several servers and several annotators. */
const stored = `tagstream-unsaved ${pagePath} ${annotator ?? ''}`;

/**
 * An answer that the server has not confirmed yet, kept in the browser so that it survives a
 * reload.
 */
const unsaved = {
  get(): GivenAnswer | undefined {
    const text = sessionStorage.getItem(stored);
    return text === null ? undefined : (JSON.parse(text) as GivenAnswer);
  },

  set(answer: GivenAnswer): void {
    sessionStorage.setItem(stored, JSON.stringify(answer));
  },

  clear(): void {
    sessionStorage.removeItem(stored);
  },
};
