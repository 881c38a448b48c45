import { LabelPalette } from '../../reports/label-palette.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { ShownRecord } from '../task/shown-record.js';
import { element } from './dom.js';

/** Label colours, and the labels of tags. */
export class LabelLook {
  readonly #palette: LabelPalette;
  readonly #task: AnnotationTask;

  constructor(task: AnnotationTask) {
    this.#task = task;
    this.#palette = new LabelPalette(task.names);
  }

  /** Returns the label of a tag; undefined for a token outside of spans. */
  labelOf(tag: string): string | undefined {
    if (this.#task.kind === 'tags') return tag;
    return tag === 'O' ? undefined : tag.slice(2);
  }

  /** Returns whether a label begins at a token. */
  begins(tag: string): boolean {
    return this.#task.kind === 'tags' || tag.startsWith('B-');
  }

  /** Returns a description of a tag in words. */
  spoken(tag: string): string {
    if (this.#task.kind === 'tags' || !this.#task.tags.includes(tag)) return tag;
    if (tag === 'O') return 'no label';
    return tag.startsWith('B-') ? tag.slice(2) : `more of ${tag.slice(2)}`;
  }

  /** Returns the CSS class that sets a label's colour. */
  classOf(label: string): string {
    return `h${this.#palette.of(label)}`;
  }
}

/** Renders labelled pieces as boxes in their labels' colours. */
export function chips(
  tokens: readonly string[],
  tags: readonly string[],
  look: LabelLook,
): readonly Node[] {
  const found: { label: string; text: string }[] = [];
  let last = '';
  for (const [t, tag] of tags.entries()) {
    const label = look.labelOf(tag) ?? '';
    if (label !== '' && label === last && !look.begins(tag)) found.at(-1)!.text += ` ${tokens[t]!}`;
    else if (label !== '') found.push({ label, text: tokens[t]! });
    last = label;
  }
  if (found.length === 0) return [element('span', { class: 'soft' }, 'no label')];
  return found.map(({ label, text }) =>
    element(
      'span',
      { class: `chip ${look.classOf(label)}` },
      text,
      element('span', { class: 'name' }, label),
    ),
  );
}

/** State of the tokens of a record. */
export interface TokenState {
  readonly tags: readonly string[];
  readonly marginals: readonly number[];
  readonly fixed: readonly (string | null)[];
  /** Positions of the tokens to be decided. */
  readonly undecided: ReadonlySet<number>;
  readonly cursor: number;
  /** End of the selection opposite the cursor. */
  readonly anchor: number;
}

/** Number of tokens per block: only visible blocks are drawn. */
const blockSize = 200;

/** Draws the tokens of a record, and updates them in place when their state changes. */
export class TokenView {
  readonly root: HTMLElement;
  readonly #look: LabelLook;
  readonly #record: ShownRecord;
  readonly #asked: ReadonlySet<number>;
  readonly #blocks: HTMLElement[] = [];
  readonly #tokens = new Map<number, HTMLElement>();
  /** Element after each token, if any. */
  readonly #gaps = new Map<number, HTMLElement>();
  readonly #drawn = new Set<number>();
  /** Appearance with which each token was last painted. */
  readonly #looks = new Map<number, string>();
  readonly #watcher: IntersectionObserver;
  #state: TokenState;
  /** Last known cursor position. */
  #pointed = -1;

  /**
   * @param onPick called with the clicked token, and whether to extend the selection to it
   */
  constructor(
    record: ShownRecord,
    state: TokenState,
    look: LabelLook,
    onPick: (token: number, extend: boolean) => void,
  ) {
    this.#record = record;
    this.#state = state;
    this.#look = look;
    this.#asked = new Set(record.asked ?? []);
    this.root = element('div', {
      class: 'tokens',
      attributes: { role: 'listbox', tabindex: '0', 'aria-label': 'Tokens', dir: 'auto' },
      onPress: event => {
        const found = (event.target as Element).closest<HTMLElement>('.token');
        if (found?.dataset.token !== undefined) onPick(Number(found.dataset.token), event.shiftKey);
      },
    });
    this.root.setAttribute('aria-multiselectable', 'true');
    this.#listen(onPick);
    this.#watcher = new IntersectionObserver(seen => this.#seen(seen), { rootMargin: '600px' });
    for (let start = 0; start < record.tokens.length; start += blockSize) {
      const name = `Tokens ${start + 1} to ${Math.min(start + blockSize, record.tokens.length)}`;
      const block = element('div', {
        class: 'block',
        attributes: { role: 'group', 'aria-label': name },
      });
      this.#blocks.push(block);
      this.root.append(block);
      this.#watcher.observe(block);
    }
    this.#fill(0);
    this.#point();
  }

  /** Draws a new state. */
  update(state: TokenState): void {
    this.#state = state;
    this.#fill(Math.floor(state.cursor / blockSize));
    for (const [t, token] of this.#tokens) this.#paint(t, token);
    this.#point();
  }

  close(): void {
    this.#watcher.disconnect();
  }

  #seen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#fill(this.#blocks.indexOf(target as HTMLElement));
    }
  }

  #fill(number: number): void {
    if (this.#drawn.has(number)) return;
    this.#drawn.add(number);
    const { tokens, sentences } = this.#record;
    const ends = new Set(sentences.map(([, end]) => end));
    const from = number * blockSize;
    const parts: (Node | string)[] = [];
    for (let t = from; t < Math.min(from + blockSize, tokens.length); t += 1) {
      const text = document.createElement('span');
      const token = element(
        'span',
        { class: 'token', id: `t${t}`, attributes: { role: 'option', 'data-token': String(t) } },
        text,
      );
      text.textContent = tokens[t]!;
      this.#tokens.set(t, token);
      const between = this.#gapAfter(t);
      if (between !== '') this.#gaps.set(t, element('span', { class: 'gap' }, between));
      this.#paint(t, token);
      parts.push(
        token,
        this.#gaps.get(t) ?? '',
        ends.has(t + 1) && this.#record.offsets === undefined ? '\n' : '',
      );
    }
    this.#blocks[number]!.replaceChildren(...parts.filter(part => part !== ''));
  }

  /** Returns the text between a token and the next one. */
  #gapAfter(t: number): string {
    const { text, offsets } = this.#record;
    if (text === undefined || offsets === undefined) return ' ';
    const next = offsets[t + 1];
    return next === undefined ? '' : text.slice(offsets[t]![1], next[0]);
  }

  #paint(t: number, token: HTMLElement): void {
    const { tags, marginals, fixed, undecided, cursor, anchor } = this.#state;
    const tag = tags[t]!;
    const label = this.#look.labelOf(tag);
    const isFixed = fixed[t] !== null;
    const isSelected = t >= Math.min(cursor, anchor) && t <= Math.max(cursor, anchor);
    const isEnd = label !== undefined && this.#endsAt(t);
    const colour = label === undefined ? '' : `in ${this.#look.classOf(label)}`;
    const classes = ['token', colour];
    if (label !== undefined && (t === 0 || this.#endsAt(t - 1))) classes.push('begin');
    if (isEnd) classes.push('end');
    // The reviewer need not see the tags on which the annotators agree.
    const isOwn = isFixed && fixed[t] !== this.#record.decided?.[t];
    if (isOwn) classes.push('fixed');
    if (this.#asked.has(t)) classes.push('asked');
    if (undecided.has(t)) classes.push('undecided');
    if (isSelected) classes.push('selected');
    if (t === cursor) classes.push('cursor');
    const name = classes.join(' ');
    const p = isFixed ? 1 : marginals[t]!;
    const shade = label === undefined ? '' : this.#sureOf(t).toFixed(2);
    const sure = isFixed ? 'set' : undecided.has(t) ? 'to be decided' : `${Math.round(100 * p)} %`;
    const badge = isEnd ? label : '';
    const look = [name, shade, sure, label, badge].join('\n');
    // Most tokens look the same as before; setting their classes would make the browser lay them
    // out again.
    if (this.#looks.get(t) === look) return;
    this.#looks.set(t, look);
    token.className = name;
    // A token outside of spans has no shade, and its style does not change.
    if (shade !== '') token.style.setProperty('--p', shade);
    const gap = this.#gaps.get(t);
    if (gap !== undefined) {
      gap.className =
        label === undefined || isEnd ? 'gap' : `gap ${colour}${isOwn ? ' fixed' : ''}`;
      if (shade !== '' && !isEnd) gap.style.setProperty('--p', shade);
    }
    token.setAttribute('aria-selected', String(isSelected));
    token.setAttribute('aria-label', `${this.#record.tokens[t]!}: ${label ?? 'no label'}, ${sure}`);
    // The badge is only visual: a screen reader announces it with the token.
    if (badge !== '') token.dataset.badge = badge;
    else delete token.dataset.badge;
  }

  /**
   * Handles selection by pointers of every kind: from the token where a pointer goes down to the
   * token it is moved to.
   */
  #listen(onPick: (token: number, extend: boolean) => void): void {
    let from: number | undefined;
    let last: number | undefined;
    const start = (event: PointerEvent) => {
      from = event.button === 0 && !event.shiftKey ? tokenAt(event) : undefined;
      last = from;
    };
    const move = (event: PointerEvent) => {
      const here = from === undefined ? undefined : tokenAt(event);
      if (here === undefined || here === last) return;
      if (last === from) onPick(from!, false);
      last = here;
      onPick(here, true);
    };
    const end = () => {
      from = undefined;
    };
    this.root.addEventListener('pointerdown', start);
    this.root.addEventListener('pointermove', move);
    this.root.addEventListener('pointerup', end);
    this.root.addEventListener('pointercancel', end);
  }

  /** Returns whether a token is the last of its span or gap. */
  #endsAt(t: number): boolean {
    const { tags } = this.#state;
    const next = tags[t + 1];
    if (next === undefined || this.#look.begins(next)) return true;
    return this.#look.labelOf(next) !== this.#look.labelOf(tags[t]!);
  }

  /**
   * Returns the confidence of a token's span, which is that of its least certain token: the span is
   * one box of one colour.
   */
  #sureOf(t: number): number {
    const { fixed, marginals } = this.#state;
    let start = t;
    while (start > 0 && !this.#endsAt(start - 1)) start -= 1;
    let least = 1;
    for (let at = start; ; at += 1) {
      if (fixed[at] === null) least = Math.min(least, marginals[at]!);
      if (this.#endsAt(at)) return least;
    }
  }

  #point(): void {
    const { cursor } = this.#state;
    // Scrolling forces an immediate layout rather than one with the next frame.
    if (cursor === this.#pointed) return;
    this.root.setAttribute('aria-activedescendant', `t${cursor}`);
    this.#tokens.get(cursor)?.scrollIntoView({ block: 'nearest' });
    if (this.root.isConnected) this.#pointed = cursor;
  }
}

/**
 * Returns the token below a pointer: the target of a touch event remains the element where the
 * finger went down.
 */
function tokenAt({ clientX, clientY }: PointerEvent): number | undefined {
  const found = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('.token');
  return found?.dataset.token === undefined ? undefined : Number(found.dataset.token);
}
