import type { Alternative, LabelMarginals, Results } from '../../../core/sentence/sentence.js';
import type { TaggedDocument } from '../../../core/sentence/tagged-document.js';
import { sentenceRanges } from '../writing.js';

/** The results of a sentence that columns have a place for. */
export interface SentenceResults {
  readonly tags: readonly string[];
  /** What further taggers have found, each a column behind those of the tags. */
  readonly results?: Results | undefined;
  /** p(tags | x). */
  readonly probability?: number | undefined;
  /** Probability of each tag at its token. */
  readonly marginals?: ArrayLike<number> | undefined;
  /** Those of all tags at the tokens of the sentence. */
  readonly labelMarginals?: LabelMarginals | undefined;
  /** The best sequences, which are written instead of the tags. */
  readonly nbest?: readonly Alternative[] | undefined;
}

/** One writing of a sentence. */
export interface ResultRows {
  /** What comes before its rows: empty, or a line. */
  readonly head: string;
  /** The last cells of the row of a token, from the tag on, with what separates them. */
  cells(token: number, between: string): string;
}

/**
 * A sentence with probabilities in columns, as `crf_test` of CRF++ writes it: `# p` before a sentence with its
 * probability, `tag/p` for a tag with its own, all others with theirs in further columns; of several sequences each is a
 * sentence after `# rank p`, the best one 0. Results of further taggers are columns behind all of these. Without any of these, there is nothing but the tags.
 *
 * @param cell a tag as a cell can hold it
 * @example
 * const [one] = resultRows({ tags: ['X'], probability: 0.5, marginals: [0.75] }, tag => tag);
 * [one.head, one.cells(0, '\t')] // => ['# 0.5\n', 'X/0.75']
 */
export function resultRows(results: SentenceResults, cell: (tag: string) => string): ResultRows[] {
  const { tags, probability, marginals, labelMarginals, nbest } = results;
  const columns = Object.values(results.results ?? {});
  const further = (token: number, between: string) =>
    columns.map(values => between + cell(values[token]!)).join('');
  const all = labelMarginals && allCells(labelMarginals, cell);
  if (nbest !== undefined) {
    return nbest.map((alternative, rank) => ({
      head: `# ${rank} ${sixDigits(alternative.probability)}\n`,
      cells: (token, between) => {
        const tag = alternative.tags[token]!;
        const own = all === undefined ? cell(tag) : all.of(tag, token) + all.cells(token, between);
        return own + further(token, between);
      },
    }));
  }
  const cells = (token: number, between: string) => {
    const tag = cell(tags[token]!);
    const own = marginals === undefined ? tag : `${tag}/${sixDigits(marginals[token]!)}`;
    const tagged = all === undefined ? own : own + all.cells(token, between);
    return tagged + further(token, between);
  };
  return [{ head: probability === undefined ? '' : `# ${sixDigits(probability)}\n`, cells }];
}

/** The results of each sentence of a document, one after the other. */
export function sentencesWithResults(tagged: TaggedDocument): SentenceResults[] {
  const { tags, results, probabilities, marginals, labelMarginals, nbest } = tagged;
  return sentenceRanges(tagged.sentences, tags.length).map(([start, end], s) => ({
    tags: tags.slice(start, end),
    results: results && resultsBetween(results, start, end),
    probability: probabilities?.[s],
    marginals: marginals?.slice(start, end),
    labelMarginals: labelMarginals && marginalsBetween(labelMarginals, start, end),
    nbest: nbest?.[s],
  }));
}

function resultsBetween(results: Results, start: number, end: number): Results {
  const own = Object.entries(results).map(([name, values]) => [name, values.slice(start, end)]);
  return Object.fromEntries(own) as Results;
}

/** The probabilities of all labels at the tokens from `start` to before `end`. */
export function marginalsBetween(
  { labels, values }: LabelMarginals,
  start: number,
  end: number,
): LabelMarginals {
  return { labels, values: values.subarray(start * labels.length, end * labels.length) };
}

/** What is written of all labels. */
function allCells({ labels, values }: LabelMarginals, cell: (tag: string) => string) {
  const names = labels.map(cell);
  const numbers = new Map(labels.map((label, y) => [label, y]));
  const one = (y: number, token: number) =>
    `${names[y]!}/${sixDigits(values[token * names.length + y]!)}`;
  return {
    of: (tag: string, token: number) => one(numbers.get(tag)!, token),
    cells(token: number, between: string): string {
      let text = '';
      for (let y = 0; y < names.length; y += 1) text += between + one(y, token);
      return text;
    },
  };
}

/** Below this, a power of ten is written. */
const least = 1e-4;

/**
 * A number in six digits, as `%g` of C and streams of C++ write it where it is below 1,000,000.
 *
 * @example
 * sixDigits(0.98765432) // => '0.987654'
 * sixDigits(0.00001234) // => '1.234e-05'
 */
export function sixDigits(value: number): string {
  const rounded = Number(value.toPrecision(6));
  if (rounded === 0 || Math.abs(rounded) >= least) return String(rounded);
  const [digits, power] = rounded.toExponential().split('e-');
  return `${digits}e-${power!.padStart(2, '0')}`;
}
