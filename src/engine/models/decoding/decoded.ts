import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type {
  Alternative,
  LabelMarginals,
  PairMarginals,
  Span,
} from '../../core/sentence/sentence.js';
import type { RankedPath } from '../../inference/n-best.js';
import type { LabelSet } from '../labels/label-set.js';
import type { DecodeOptions } from './decode-options.js';

/** One of the best label sequences of a sentence. */
export interface RankedLabels extends RankedPath {
  /** The probability p(y | x). */
  readonly probability: number;
  /** Its logarithm, which does not underflow. */
  readonly logProbability: number;
}

/** Labels of all tokens of a minibatch, with the requested results. */
export interface Decoded {
  readonly labels: Int32Array;
  /**
   * Score of each sentence's labels: the sum of emission and transition scores, or the number of votes if weights
   * vote; for labels with hidden states, the log of the sum over all their state sequences.
   */
  readonly scores: Float64Array;
  /** p(y_t = chosen | x) for each token. */
  readonly marginals?: Float64Array;
  /** p(y_t = y | x) for each token and label. */
  readonly labelMarginals?: LabelMarginals;
  /** p(y_{t-1} = from, y_t = to | x) above the threshold, for each sentence. */
  readonly pairMarginals?: readonly PairMarginals[];
  /** p(y | x) of each sentence's labels. */
  readonly probabilities?: Float64Array;
  /** log p(y | x) of each sentence's labels, which does not underflow; present with the probabilities. */
  readonly logProbabilities?: Float64Array;
  /** The best sequences of each sentence. */
  readonly nbest?: readonly (readonly RankedLabels[])[];
  /** The spans of each sentence with their probabilities. */
  readonly spans?: readonly (readonly Span[])[];
  /**
   * Numbers of sentences in the batch whose constraints cannot be met, with their errors; their
   * other results are undefined.
   */
  readonly rejected?: ReadonlyMap<number, TagstreamError>;
}

/** Decoded sentences under construction. */
export type DecodedDraft = { -readonly [Key in keyof Decoded]: Decoded[Key] } & {
  nbest?: RankedLabels[][];
  spans?: Span[][];
  pairMarginals?: PairMarginals[];
};

/**
 * Returns label sequences with their labels' names.
 *
 * @example
 * const path = { labels: Int32Array.of(1, 0), score: 2, probability: 1, logProbability: 0 };
 * alternatives([path], ['O', 'X']) // => [{ tags: ['X', 'O'], score: 2, probability: 1, logProbability: 0 }]
 */
export function alternatives(
  paths: readonly RankedLabels[],
  names: readonly string[],
): Alternative[] {
  return paths.map(({ labels, score, probability, logProbability }) => {
    const tags: string[] = [];
    // No iterator, which would take as long as finding the labels.
    for (let t = 0; t < labels.length; t += 1) tags.push(names[labels[t]!]!);
    return { tags, score, probability, logProbability };
  });
}

/** Tags reported for labels. */
export interface ReportedLabels {
  /** The tags, without duplicates. */
  readonly tags: readonly string[];
  /** Index of each label's tag. */
  readonly columns: Int32Array;
}

/**
 * Returns the tags reported for labels: labels of another scheme and states of the same label can share a tag.
 *
 * @example
 * const { tags, columns } = reportedLabels(new LabelSet(['O', 'B-X'], 2));
 * [tags, Array.from(columns)] // => [['O', 'B-X'], [0, 0, 1, 1]]
 */
export function reportedLabels({ reported }: LabelSet): ReportedLabels {
  const places = new Map<string, number>();
  const columns = Int32Array.from(reported, tag => {
    const place = places.get(tag) ?? places.size;
    places.set(tag, place);
    return place;
  });
  return { tags: [...places.keys()], columns };
}

/** Returns the label pairs of a sentence without tokens. */
function noPairs(labels: readonly string[]): PairMarginals {
  const none = new Uint32Array(0);
  return { labels, starts: new Uint32Array(1), from: none, to: none, values: new Float64Array(0) };
}

/** Returns a probability with its logarithm, at most 0 whatever the rounding of the score and the sum. */
export function ofSequence(logProbability: number): Omit<RankedLabels, 'labels' | 'score'> {
  const log = Math.min(0, logProbability);
  return { probability: Math.exp(log), logProbability: log };
}

/** Entries of lists that no decoder has filled. */
const unfilledList: never[] = [];
const unfilledPairs = noPairs([]);

/**
 * Allocates the requested results of a batch. Until a decoder fills them, numbers are NaN, and lists are known to
 * `rejectUnfilled`.
 *
 * @param reported reported labels, if the probabilities of all labels are requested
 */
export function draftOf(
  { tokens, sentences: { length: count } }: Minibatch,
  { marginals = false, probability, nbest, spanProbabilities }: DecodeOptions,
  hasSpans: boolean,
  reported: ReportedLabels | undefined,
): DecodedDraft {
  const unfilled = (length: number) => new Float64Array(length).fill(Number.NaN);
  const lists = () => new Array<never[]>(count).fill(unfilledList);
  const draft: DecodedDraft = { labels: new Int32Array(tokens), scores: unfilled(count) };
  if (marginals !== false) draft.marginals = unfilled(tokens);
  if (marginals === 'all') {
    const labels = reported!.tags;
    draft.labelMarginals = { labels, values: unfilled(tokens * labels.length) };
  }
  if (marginals === 'pairs') {
    draft.pairMarginals = new Array<PairMarginals>(count).fill(unfilledPairs);
  }
  if (probability === true) {
    draft.probabilities = unfilled(count);
    draft.logProbabilities = unfilled(count);
  }
  if (nbest !== undefined) draft.nbest = lists();
  if (spanProbabilities === true && hasSpans) draft.spans = lists();
  return draft;
}

/** Returns the results that are arrays of numbers, with the number of values of a token; 0: one of a sentence. */
function arraysIn(decoded: Decoded) {
  const { labels, scores, marginals, labelMarginals, probabilities, logProbabilities } = decoded;
  const all = [
    { name: 'labels', values: labels, each: 1 },
    { name: 'scores', values: scores, each: 0 },
    { name: 'marginals', values: marginals, each: 1 },
    {
      name: 'labelMarginals',
      values: labelMarginals?.values,
      each: labelMarginals?.labels.length ?? 0,
    },
    { name: 'probabilities', values: probabilities, each: 0 },
    { name: 'logProbabilities', values: logProbabilities, each: 0 },
  ];
  return all.filter(({ values }) => values !== undefined) as ({
    readonly values: Int32Array | Float64Array;
  } & (typeof all)[number])[];
}

const listNames = ['pairMarginals', 'nbest', 'spans'] as const;

/** Writes the results of a sentence without tokens to its place. */
export function placeEmpty(
  decoded: DecodedDraft,
  s: number,
  reported: ReportedLabels | undefined,
): void {
  const { scores, probabilities, logProbabilities, pairMarginals, nbest, spans } = decoded;
  scores[s] = 0;
  if (probabilities !== undefined) probabilities[s] = 1;
  if (logProbabilities !== undefined) logProbabilities[s] = 0;
  if (pairMarginals !== undefined) pairMarginals[s] = noPairs(reported!.tags);
  if (nbest !== undefined) nbest[s] = [{ labels: new Int32Array(0), score: 0, ...ofSequence(0) }];
  if (spans !== undefined) spans[s] = [];
}

/** Writes the result of a batch of one sentence to the sentence's place, which begins with token `first`. */
export function place(decoded: DecodedDraft, alone: Decoded, s: number, first: number): void {
  const targets = arraysIn(decoded);
  for (const [i, { values, each }] of arraysIn(alone).entries()) {
    targets[i]!.values.set(values, each === 0 ? s : first * each);
  }
  for (const name of listNames) {
    if (alone[name] !== undefined) (decoded[name] as unknown[])[s] = alone[name][0];
  }
}

/** Rejects each sentence with a result that no decoder has filled, which would otherwise look like a number. */
export function rejectUnfilled(decoded: Decoded, { sentenceStarts: starts }: Minibatch): Decoded {
  // Scores are written with the labels.
  const arrays = arraysIn(decoded).filter(({ name }) => name !== 'labels');
  let rejected: Map<number, TagstreamError> | undefined;
  for (let s = 0; s + 1 < starts.length; s += 1) {
    if (decoded.rejected?.has(s) === true) continue;
    const array = arrays.find(({ values, each }) => {
      const [from, to] = each === 0 ? [s, s + 1] : [starts[s]! * each, starts[s + 1]! * each];
      for (let i = from; i < to; i += 1) if (Number.isNaN(values[i])) return true;
      return false;
    });
    const list = listNames.find(name => {
      const own = decoded[name]?.[s];
      return own === unfilledList || own === unfilledPairs;
    });
    const name = array?.name ?? list;
    if (name === undefined) continue;
    rejected ??= new Map(decoded.rejected);
    rejected.set(
      s,
      new TagstreamError('numeric', `decoding this sentence gives no ${name}`, {
        fix: 'leave this result out, and report it with the model: it is a fault of the decoder',
      }),
    );
  }
  return rejected === undefined ? decoded : { ...decoded, rejected };
}
