import { contributionWords } from '../../../engine/models/inspection/contribution-words.js';
import type {
  ScoreContribution,
  TokenExplanation,
} from '../../../engine/models/inspection/explanation.js';
import { LabelPalette } from '../../../reports/label-palette.js';
import { percentText } from '../../../reports/marked-span.js';
import { html, type Markup } from '../../../reports/page/html.js';
import { recordMarkup } from '../../../reports/tagged/record-markup.js';
import type { TaggedRecord } from '../schemas.js';
import type { ExplainedRecord } from '../threads/explained-record.js';

// The program of the page at `/`. Everything from the server is text, which is escaped before it is shown.

/** The parts of an answer of `/v1/tag` that the page shows. */
interface TaggedAnswer {
  readonly tokens: readonly string[];
  readonly tags: readonly string[];
  readonly offsets?: readonly [number, number][];
  readonly sentences: NonNullable<TaggedRecord['sentences']>;
  readonly spans?: readonly { label: string; start: number; end: number; probability?: number }[];
  readonly marginals?: readonly number[];
  readonly nbest?: NonNullable<TaggedRecord['nbest']>;
}

const nothing: TaggedAnswer = { tokens: [], tags: [], sentences: [] };

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly fix?: string;
}

/** Milliseconds to wait for the next keystroke. */
const pause = 150;

const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const input = byId<HTMLTextAreaElement>('text');
const model = byId<HTMLSelectElement>('model');
const token = byId<HTMLInputElement>('token');
const state = byId('state');
const alternatives = byId('alternatives');
const why = byId('why');
const reason = byId('reason');
const most = document.querySelector('main')!.dataset.alternatives!;
const palette = new LabelPalette([]);

/**
 * Requested results, from all of them down to those that every model supports: sequence models without probabilities
 * support no others.
 */
const wishes = [
  `marginals=true&spanProbabilities=true&nbest=${most}`,
  'marginals=true&spanProbabilities=true',
  `nbest=${most}`,
  '',
];
/** How many of the `wishes` each model refuses. */
const refused = new Map<string, number>();

class ServerProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { code, detail, fix }: Problem) {
    super(fix === undefined ? detail : `${detail}: ${fix}`);
    this.status = status;
    this.code = code;
  }
}

async function ask(address: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token.value !== '') headers.set('Authorization', `Bearer ${token.value}`);
  const answer = await fetch(address, { ...init, headers });
  if (answer.ok) return answer;
  const problem = (await answer.json().catch(() => undefined)) as Problem | undefined;
  const { status } = answer;
  throw new ServerProblem(status, problem ?? { code: '', detail: `the server answers ${status}` });
}

function post(path: string, query: string, text: string, signal: AbortSignal): Promise<Response> {
  const chosen = model.value === '' ? '' : `model=${encodeURIComponent(model.value)}`;
  const address = `${path}?${[chosen, query].filter(part => part !== '').join('&')}`;
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', Accept: 'application/json' };
  return ask(address, { method: 'POST', body: text, headers, signal });
}

/** Tags a text, with as many results as the model supports. */
async function tag(text: string, signal: AbortSignal): Promise<TaggedAnswer> {
  for (let i = refused.get(model.value) ?? 0; ; i += 1) {
    try {
      const answer = await post('v1/tag', wishes[i]!, text, signal);
      refused.set(model.value, i);
      byId('version').textContent = `version ${answer.headers.get('Tagstream-Version')}`;
      return (await answer.json()) as TaggedAnswer;
    } catch (error) {
      const isRefused = error instanceof ServerProblem && error.code === 'config';
      if (!isRefused || i + 1 === wishes.length) throw error;
    }
  }
}

let asking = new AbortController();

async function show(): Promise<void> {
  asking.abort();
  const own = new AbortController();
  asking = own;
  const text = input.value;
  try {
    if (text.trim() === '') {
      showResult(text, nothing);
    } else {
      const tagged = await tag(text, own.signal);
      if (own.signal.aborted) return;
      showResult(text, tagged);
    }
    state.textContent = '';
    byId('access').hidden = token.value === '';
  } catch (error) {
    if (own.signal.aborted) return;
    showResult('', nothing);
    state.textContent = (error as Error).message;
    if (error instanceof ServerProblem && error.status === 401) byId('access').hidden = false;
  } finally {
    document.documentElement.dataset.shown = text;
  }
}

function showResult(text: string, { nbest, ...tagged }: TaggedAnswer): void {
  const { tokens, tags, sentences } = tagged;
  byId('result').innerHTML = recordMarkup({ ...tagged, document: { text } }, palette).text;
  alternatives.hidden = nbest === undefined || tokens.length === 0;
  const lists = sentences.map(([start], s) => {
    const sequences = nbest?.[s]?.map(({ tags: each, probability }) => {
      const marked = each.flatMap((label, t) =>
        label === 'O' ? [] : [html`${tokens[start + t]!}/<b>${label}</b> `],
      );
      return html`<li>${percentText(probability)}: ${marked.length === 0 ? 'no label' : marked}</li>`;
    });
    return html`<ol class="sequences">${sequences ?? []}</ol>`;
  });
  alternatives.querySelector('div')!.innerHTML = lists.map(list => list.text).join('');
  why.hidden = tokens.length === 0;
  reason.textContent = '';
  const words = tokens.map(
    (word, t) =>
      html`<button type="button" aria-pressed="false">${word}${tagOf(tags[t]!)}</button>`,
  );
  byId('words').innerHTML = words.map(word => word.text).join('');
}

function tagOf(tag: string): Markup {
  return tag === 'O' ? html`` : html` <span class="tag c${palette.of(tag)}">${tag}</span>`;
}

/** Explains a word of the shown text. */
async function explain(button: HTMLButtonElement): Promise<void> {
  const buttons = [...byId('words').children];
  for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
  const { signal } = asking;
  try {
    const answer = await post('v1/explain', '', input.value, signal);
    const { explanations } = (await answer.json()) as ExplainedRecord;
    const found = explanations[buttons.indexOf(button)];
    if (!signal.aborted && found !== undefined) reason.innerHTML = reasonMarkup(found).text;
  } catch (error) {
    if (!signal.aborted) reason.textContent = (error as Error).message;
  }
}

function reasonMarkup(explanation: TokenExplanation): Markup {
  const { tag, probability, runnerUp, rules = [], contributions } = explanation;
  const other = runnerUp?.tag ?? '';
  const against =
    runnerUp === undefined
      ? ''
      : html`, not <b>${other}</b> (${percentText(runnerUp.probability)})`;
  const noted = rules.map(
    ({ effect, label, from }) => html`<p>A rule applies (${from}): ${effect} ${label}</p>`,
  );
  const row = (each: ScoreContribution) => {
    const { name, amount } = each;
    return html`<tr><td title="${name}">${contributionWords(each)}</td><td class="n ${amount > 0 ? 'for' : 'against'}">${amount > 0 ? '+' : '−'}${Math.abs(amount).toFixed(2)}</td></tr>`;
  };
  const table = html`<table><thead><tr><th scope="col">Reason</th>
<th scope="col" class="n">For ${tag}</th></tr></thead><tbody>${contributions.map(row)}</tbody></table>`;
  return html`<h3>${explanation.token}</h3><p><b>${tag}</b> (${percentText(probability)})${against}</p>${noted}${
    contributions.length === 0 ? '' : table
  }`;
}

async function start(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  input.value = given.get('text') ?? input.value;
  try {
    const answer = await ask('v1/models', {});
    const { models } = (await answer.json()) as { models: { name: string }[] };
    const chosen = given.get('model') ?? model.value;
    const options = models.map(({ name }) => html`<option>${name}</option>`);
    model.innerHTML = options.map(option => option.text).join('');
    if (models.some(({ name }) => name === chosen)) model.value = chosen;
    byId('choice').hidden = models.length < 2;
  } catch (error) {
    state.textContent = (error as Error).message;
    if (error instanceof ServerProblem && error.status === 401) {
      byId('access').hidden = false;
      document.documentElement.dataset.ready = 'true';
      return;
    }
  }
  await show();
  document.documentElement.dataset.ready = 'true';
}

async function share(): Promise<void> {
  const named = model.value === '' ? {} : { model: model.value };
  location.hash = `${new URLSearchParams({ ...named, text: input.value })}`;
  try {
    await navigator.clipboard.writeText(location.href);
    state.textContent = 'The link is copied.';
  } catch {
    // For example over plain HTTP from another machine, where the page may not write to the clipboard.
    state.textContent = 'The link is in the address bar.';
  }
}

let timer = 0;
input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(show, pause) as unknown as number;
});
model.addEventListener('change', show);
byId('share').addEventListener('click', share);
byId('words').addEventListener('click', ({ target }) => {
  const button = (target as Element).closest('button');
  if (button !== null) void explain(button);
});
byId<HTMLFormElement>('access').addEventListener('submit', event => {
  event.preventDefault();
  void start();
});
addEventListener('hashchange', () => {
  if (new URLSearchParams(location.hash.slice(1)).get('text') !== input.value) void start();
});
void start();
