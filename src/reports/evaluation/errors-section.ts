import type { Span } from '../../engine/core/sentence/sentence.js';
import { grouped } from '../../engine/core/wording/numbers.js';
import type { Evaluation, ScoredSentence } from '../../engine/metrics/evaluation/evaluation.js';
import { typeOf } from '../../engine/text/tags/chunk-boundaries.js';
import { spansOf } from '../../engine/text/tags/spans.js';
import type { LabelPalette } from '../label-palette.js';
import { markedSpan, percentText } from '../marked-span.js';
import { html, type Markup, type Piece } from '../page/html.js';

/** Returns the kept sentences with errors, and a form that filters them. */
export function errorsSection(
  { errors, errorSentences, spanScheme }: Evaluation,
  filters: ErrorFilters,
  palette: LabelPalette,
): Markup {
  const of = `${grouped(errorSentences)} ${errorSentences === 1 ? 'sentence' : 'sentences'} with errors`;
  const amount =
    errors.length < errorSentences ? `The first ${grouped(errors.length)} of ${of}.` : `${of}.`;
  const items = errors.map((sentence, n) => {
    const { labels, pairs } = filters.of(sentence);
    const shown = spanScheme ? spanErrors(sentence, palette) : tokenErrors(sentence);
    return html`<li data-l="${labels.join(' ')}" data-p="${pairs.join(' ')}"><span class="n">${n + 1}</span>${shown}</li>
`;
  });
  const how = spanScheme
    ? 'A dashed frame and ? mark a gold span that the model has not found, a whole frame and ✗ one that it has and should not have.'
    : 'A wrong word is underlined: the tag of the model is struck out, the gold tag follows it.';
  const content =
    errors.length === 0
      ? undefined
      : html`<p class="soft">${how}</p>
${filterForm(filters)}
<ol class="errors">
${items}</ol>`;
  return html`<section id="errors" aria-labelledby="errors-h">
<h2 id="errors-h">Errors in context</h2>
<p>${amount}</p>
${content}
</section>
`;
}

function filterForm({ labels, pairs }: ErrorFilters): Markup {
  const labelOptions = labels.map(
    ({ label, sentences }, i) =>
      html`<option value="${i}">${label} (${grouped(sentences)})</option>`,
  );
  const pairOptions = pairs.map(
    ({ gold, predicted, sentences }, i) =>
      html`<option value="${i}">${gold} tagged ${predicted} (${grouped(sentences)})</option>`,
  );
  return html`<form class="filter noprint" id="filter" hidden>
<label>Label<select name="label"><option value="">all</option>${labelOptions}</select></label>
<label>Confusion<select name="pair"><option value="">all</option>${pairOptions}</select></label>
<button type="reset">Show all</button>
<output id="count" class="soft"></output>
</form>`;
}

/** Renders a sentence with both tags at each wrong token. */
function tokenErrors({ tokens, gold, tags, marginals }: ScoredSentence): Markup {
  const words = tokens.map((token, t) => {
    if (tags[t] === gold![t]) return html`${token} `;
    const chance = marginals?.[t];
    const title =
      chance === undefined
        ? `tagged ${tags[t]}, gold ${gold![t]}`
        : `tagged ${tags[t]} with probability ${percentText(chance)}, gold ${gold![t]}`;
    return html`<span class="wrong" title="${title}">${token}<span class="vh"> tagged </span><s>${tags[t]}</s><span class="vh"> gold </span><b>${gold![t]}</b></span> `;
  });
  return html`<div>${words}</div>`;
}

/** Renders a sentence twice, with the gold spans and with the model's; differences are highlighted. */
function spanErrors(sentence: ScoredSentence, palette: LabelPalette): Markup {
  const { tokens, gold, tags } = sentence;
  const right = spansOf(gold!);
  const found = sentence.spans ?? spansOf(tags);
  return html`<dl class="rows"><dt>gold</dt><dd>${row(tokens, right, found, 'missed', palette)}</dd><dt>model</dt><dd>${row(tokens, found, right, 'spurious', palette)}</dd></dl>`;
}

function row(
  tokens: readonly string[],
  spans: readonly Span[],
  others: readonly Span[],
  wrong: 'missed' | 'spurious',
  palette: LabelPalette,
): Piece {
  const pieces: Piece[] = [];
  let at = 0;
  for (const span of spans) {
    const { label, start, end } = span;
    if (start > at) pieces.push(`${tokens.slice(at, start).join(' ')} `);
    const same = others.some(
      other => other.start === start && other.end === end && other.label === label,
    );
    const classes = same ? ' fine' : ` ${wrong}`;
    const [sign, word] = wrong === 'missed' ? ['?', 'missed'] : ['✗', 'wrong'];
    const note = same
      ? undefined
      : html`<span class="note" aria-hidden="true">${sign}</span><span class="vh"> ${word} </span>`;
    const content = tokens.slice(start, end).join(' ');
    pieces.push(markedSpan({ span, colour: palette.of(label), content, classes, note }), ' ');
    at = end;
  }
  pieces.push(tokens.slice(at).join(' '));
  return pieces;
}

/** A label with errors, and the number of shown sentences that contain them. */
export interface LabelFilter {
  readonly label: string;
  readonly sentences: number;
}

/** A gold tag confused with a predicted tag, and the number of shown sentences with this error. */
export interface PairFilter {
  readonly gold: string;
  readonly predicted: string;
  readonly sentences: number;
}

/** Filters of the shown errors: labels, and pairs of gold tag and predicted tag. */
export class ErrorFilters {
  readonly labels: readonly LabelFilter[];
  /** Pairs, those in the most sentences first. */
  readonly pairs: readonly PairFilter[];
  readonly #spanScheme: boolean;
  readonly #labelNumbers: ReadonlyMap<string, number>;
  readonly #pairNumbers: ReadonlyMap<string, number>;

  constructor(errors: readonly ScoredSentence[], spanScheme: boolean) {
    this.#spanScheme = spanScheme;
    const pairs = new Map<string, { gold: string; predicted: string; sentences: number }>();
    const labels = new Map<string, number>();
    for (const sentence of errors) {
      const found = this.#errorsOf(sentence);
      for (const label of found.labels) labels.set(label, (labels.get(label) ?? 0) + 1);
      for (const [name, pair] of found.pairs) {
        const known = pairs.get(name);
        if (known === undefined) pairs.set(name, { ...pair, sentences: 1 });
        else known.sentences += 1;
      }
    }
    this.pairs = [...pairs]
      .sort(([a, one], [b, other]) => other.sentences - one.sentences || (a < b ? -1 : 1))
      .map(([, pair]) => pair);
    this.labels = [...labels]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([label, sentences]) => ({ label, sentences }));
    this.#labelNumbers = new Map(this.labels.map(({ label }, i) => [label, i]));
    this.#pairNumbers = new Map(
      this.pairs.map(({ gold, predicted }, i) => [key(gold, predicted), i]),
    );
  }

  /** Returns the number of a pair; undefined if no shown sentence has it. */
  pair(gold: string, predicted: string): number | undefined {
    return this.#pairNumbers.get(key(gold, predicted));
  }

  /** Returns the numbers of the labels and pairs of a sentence's errors. */
  of(sentence: ScoredSentence): { labels: number[]; pairs: number[] } {
    const { labels, pairs } = this.#errorsOf(sentence);
    return {
      labels: [...labels].map(label => this.#labelNumbers.get(label)!),
      pairs: [...pairs.keys()].map(name => this.#pairNumbers.get(name)!),
    };
  }

  /** Returns the labels and pairs of a sentence's errors, each once. */
  #errorsOf({ gold, tags }: ScoredSentence) {
    const labels = new Set<string>();
    const pairs = new Map<string, { gold: string; predicted: string }>();
    for (const [t, tag] of tags.entries()) {
      const right = gold![t]!;
      if (tag === right) continue;
      pairs.set(key(right, tag), { gold: right, predicted: tag });
      labels.add(this.#label(right));
      labels.add(this.#label(tag));
    }
    return { labels, pairs };
  }

  #label(tag: string): string {
    if (!this.#spanScheme) return tag;
    return typeOf(tag) === '' ? tag : typeOf(tag);
  }
}

function key(gold: string, predicted: string): string {
  return JSON.stringify([gold, predicted]);
}
