import type {
  Alternative,
  LabelMarginals,
  Results,
} from '../../../engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { sentenceRanges } from '../writing.js';

/** Results of a sentence that have a column. */
export interface SentenceResults {
  readonly tags: readonly string[];
  /** Results of additional taggers, each in a column after the tag columns. */
  readonly results?: Results | undefined;
  /** Log of the probability of the tag sequence, log p(tags | x). */
  readonly logProbability?: number | undefined;
  /** Probability of each tag at its token. */
  readonly marginals?: ArrayLike<number> | undefined;
  /** Probabilities of all tags at the tokens of the sentence. */
  readonly labelMarginals?: LabelMarginals | undefined;
  /** The best sequences, which replace the tags. */
  readonly nbest?: readonly Alternative[] | undefined;
}

/** One written form of a sentence. */
export interface ResultRows {
  /** Line before the rows; empty if there is none. */
  readonly head: string;
  /** Returns the last cells of a token's row, from the tag on, with their separators. */
  cells(token: number, between: string): string;
}

/**
 * Formats a sentence with probabilities in columns, like `crf_test` of CRF++: `# p` before a sentence with its
 * probability, `tag/p` for a tag with its probability, and all other tags with theirs in further columns; each of
 * several sequences is a sentence after `# rank p`, starting with rank 0. Probabilities of sequences are written from
 * their logarithms, so that they do not underflow: `# 1.25e-412`. The results of additional taggers follow in
 * further columns. Without any results, only the tags are written.
 *
 * @param cell converts a tag to a cell
 * @example
 * const [one] = resultRows({ tags: ['X'], logProbability: Math.log(0.5), marginals: [0.75] }, tag => tag);
 * [one.head, one.cells(0, '\t')] // => ['# 0.5\n', 'X/0.75']
 */
export function resultRows(results: SentenceResults, cell: (tag: string) => string): ResultRows[] {
  const { tags, logProbability, marginals, labelMarginals, nbest } = results;
  const columns = Object.values(results.results ?? {});
  const further = (token: number, between: string) =>
    columns.map(values => between + cell(values[token]!)).join('');
  const all = labelMarginals && allCells(labelMarginals, cell);
  if (nbest !== undefined) {
    return nbest.map((alternative, rank) => ({
      head: `# ${rank} ${sixDigitsOfLog(alternative.logProbability)}\n`,
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
  return [
    { head: logProbability === undefined ? '' : `# ${sixDigitsOfLog(logProbability)}\n`, cells },
  ];
}

/** Yields the results of each sentence of a document. */
export function sentencesWithResults(tagged: TaggedDocument): SentenceResults[] {
  const { tags, results, logProbabilities, marginals, labelMarginals, nbest } = tagged;
  return sentenceRanges(tagged.sentences, tags.length).map(([start, end], s) => ({
    tags: tags.slice(start, end),
    results: results && resultsBetween(results, start, end),
    logProbability: logProbabilities?.[s],
    marginals: marginals?.slice(start, end),
    labelMarginals: labelMarginals && marginalsBetween(labelMarginals, start, end),
    nbest: nbest?.[s],
  }));
}

function resultsBetween(results: Results, start: number, end: number): Results {
  const own = Object.entries(results).map(([name, values]) => [name, values.slice(start, end)]);
  return Object.fromEntries(own) as Results;
}

/** Returns the probabilities of all labels at the tokens `[start, end)`. */
export function marginalsBetween(
  { labels, values }: LabelMarginals,
  start: number,
  end: number,
): LabelMarginals {
  return { labels, values: values.subarray(start * labels.length, end * labels.length) };
}

/** Returns the cells of all labels with their probabilities. */
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

/** Minimum number written without an exponent. */
const least = 1e-4;

/**
 * Formats a number below 1,000,000 with six digits, like `%g` in C and streams in C++.
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

/** Smallest number with all its digits. */
const smallest = 2 ** -1022;

/**
 * Formats a probability, given its logarithm, with six digits, however small it is.
 *
 * @example
 * sixDigitsOfLog(Math.log(0.25)) // => '0.25'
 * sixDigitsOfLog(-1000) // => '5.07596e-435'
 */
export function sixDigitsOfLog(log: number): string {
  const value = Math.exp(log);
  if (value >= smallest || log === Number.NEGATIVE_INFINITY) return sixDigits(value);
  const power = Math.floor(log / Math.LN10);
  const [digits, more] = Math.exp(log - power * Math.LN10)
    .toExponential(5)
    .split('e');
  return `${Number(digits)}e${power + Number(more)}`;
}
