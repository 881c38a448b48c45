import { TagstreamError } from '../../core/errors.js';
import { type Figure, percent } from '../../core/figures.js';
import { Random } from '../../core/random.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import { f1Score, type MatchCounts } from '../scores/match-counts.js';
import { countSpans } from '../scores/span-scores.js';
import { countEqualTags } from '../scores/token-accuracy.js';

/**
 * The difference of one score between two taggers, in percentage points, with its significance; null if one of the scores is
 * undefined. Resamples in which one is undefined do not count.
 */
export interface BootstrapDifference {
  /** Score of the first tagger minus that of the second. */
  readonly difference: Figure;
  /** Ends of the 95 % percentile interval of the difference. */
  readonly interval: readonly [low: Figure, high: Figure];
  /** The two-sided p-value of the hypothesis that there is no difference. */
  readonly pValue: Figure;
  /** Share of the resamples in which the first tagger is better, from 0 to 1. */
  readonly better: Figure;
}

/** The differences between two taggers on the same sentences. */
export interface BootstrapResult {
  readonly resamples: number;
  readonly seed: number;
  readonly accuracy: BootstrapDifference;
  /** Difference in F1; only for span schemes. */
  readonly f1?: BootstrapDifference;
}

/** Options for resampling sentences. */
export interface BootstrapOptions {
  /** Number of resamples; default 10,000. */
  readonly resamples?: number | undefined;
  /** Seed of the random numbers; default 1. */
  readonly seed?: number | undefined;
  /** Whether the tags mark spans, so that F1 is compared too. */
  readonly spanScheme: boolean;
}

/**
 * Tests whether two taggers differ on the same sentences, by paired bootstrap over sentences (Koehn 2004;
 * Efron and Tibshirani 1993).
 *
 * With `d` the score difference on all n sentences, each resample draws n sentences with replacement, and
 * has a difference `d*`:
 *
 *     p = (1 + #{ |d* - d| >= |d| }) / (resamples + 1)
 *
 * Cost O(resamples * sentences) additions on precomputed counts. The same seed gives the same result.
 *
 * @throws TagstreamError `length-mismatch` if the sentences are not the same, `config` if the number of
 *   resamples is not positive
 * @example
 * const count = equal => ({ tokens: 4, equal, correct: 0, gold: 0, predicted: 0 });
 * const [first, second] = [[4, 4, 3, 4].map(count), [3, 4, 2, 4].map(count)];
 * const { accuracy } = pairedBootstrap(first, second, { spanScheme: false });
 * [accuracy.difference, accuracy.interval] // => [12.5, [0, 25]]
 */
export function pairedBootstrap(
  first: readonly SentenceCounts[],
  second: readonly SentenceCounts[],
  options: BootstrapOptions,
): BootstrapResult {
  requireArgument('pairedBootstrap: the counts of the first', first, kinds.list);
  requireArgument('pairedBootstrap: the counts of the second', second, kinds.list);
  requireKnown('pairedBootstrap', options, ['resamples', 'seed', 'spanScheme']);
  return bootstrapPairs([first, second], options)[0]!.result;
}

/** The differences between two of several taggers, which are given by number. */
export interface BootstrapPair {
  readonly first: number;
  readonly second: number;
  readonly result: BootstrapResult;
}

/**
 * Runs `pairedBootstrap` for each pair of several taggers on the same resamples, so that the difference of two
 * taggers does not depend on the others. Cost O(resamples * sentences * taggers + resamples * pairs).
 *
 * @param taggers counts of the same sentences for two or more taggers
 * @returns the pairs (0, 1), (0, 2), (1, 2), ...
 * @throws TagstreamError as `pairedBootstrap`
 */
export function bootstrapPairs(
  taggers: readonly (readonly SentenceCounts[])[],
  { resamples = 10_000, seed = 1, spanScheme }: BootstrapOptions,
): BootstrapPair[] {
  if (!(Number.isSafeInteger(resamples) && resamples >= 1)) {
    throw new TagstreamError('config', `cannot bootstrap with ${resamples} resamples`, {
      fix: 'give a whole number of at least 1',
    });
  }
  const table = countsTable(taggers);
  const width = tableWidth(taggers.length);
  const sentences = taggers[0]!.length;
  const pairs = taggers.flatMap((_, second) =>
    Array.from({ length: second }, (__, first) => ({
      ...{ first, second },
      accuracy: new Float64Array(resamples),
      f1: new Float64Array(spanScheme ? resamples : 0),
    })),
  );
  const random = new Random(seed);
  const sums = new Float64Array(width);
  for (let b = 0; b < resamples; b += 1) {
    sums.fill(0);
    for (let n = 0; n < sentences; n += 1) addRow(table, random.below(sentences), sums);
    for (const { first, second, accuracy, f1 } of pairs) {
      accuracy[b] = accuracyDifference(sums, first, second) ?? Number.NaN;
      if (spanScheme) f1[b] = f1Difference(sums, first, second) ?? Number.NaN;
    }
  }
  sums.fill(0);
  for (let n = 0; n < sentences; n += 1) addRow(table, n, sums);
  return pairs.map(({ first, second, accuracy, f1 }) => ({
    ...{ first, second },
    result: {
      resamples,
      seed,
      accuracy: summaryOf(accuracyDifference(sums, first, second), accuracy),
      ...(spanScheme ? { f1: summaryOf(f1Difference(sums, first, second), f1) } : {}),
    },
  }));
}

/**
 * Returns the number of values per sentence: tokens and gold spans, then correct tokens, correct spans and predicted
 * spans of each tagger.
 */
function tableWidth(taggers: number): number {
  return 2 + 3 * taggers;
}

function countsTable(taggers: readonly (readonly SentenceCounts[])[]): Float64Array {
  const [first] = taggers;
  const width = tableWidth(taggers.length);
  const table = new Float64Array(first!.length * width);
  for (const counts of taggers) {
    if (hasSameSentences(first!, counts)) continue;
    throw new TagstreamError(
      'length-mismatch',
      'the two taggers were scored on different sentences',
      { fix: 'score both on the same labelled file' },
    );
  }
  for (const [n, { tokens, gold }] of first!.entries()) {
    const own = taggers.flatMap(counts => {
      const { equal, correct, predicted } = counts[n]!;
      return [equal, correct, predicted];
    });
    table.set([tokens, gold, ...own], n * width);
  }
  return table;
}

/** Returns whether two lists consist of sentences with the same tokens and gold spans. */
export function hasSameSentences(
  first: readonly SentenceCounts[],
  second: readonly SentenceCounts[],
): boolean {
  return (
    first.length === second.length &&
    first.every((a, n) => a.tokens === second[n]!.tokens && a.gold === second[n]!.gold)
  );
}

function addRow(table: Float64Array, row: number, sums: Float64Array): void {
  const { length: width } = sums;
  const at = row * width;
  for (let i = 0; i < width; i += 1) sums[i]! += table[at + i]!;
}

function accuracyDifference(sums: Float64Array, first: number, second: number): Figure {
  return percent(sums[2 + 3 * first]! - sums[2 + 3 * second]!, sums[0]!);
}

function f1Difference(sums: Float64Array, first: number, second: number): Figure {
  const [a, b] = [f1Of(sums, first), f1Of(sums, second)];
  return a === null || b === null ? null : a - b;
}

function f1Of(sums: Float64Array, tagger: number): Figure {
  const at = 2 + 3 * tagger;
  return f1Score({ correct: sums[at + 1]!, gold: sums[1]!, predicted: sums[at + 2]! });
}

/** Summarises resampled differences, of which undefined ones are NaN. */
function summaryOf(difference: Figure, drawn: Float64Array): BootstrapDifference {
  const resampled = drawn.filter(d => !Number.isNaN(d));
  const { length } = resampled;
  if (difference === null || length === 0)
    return { difference, interval: [null, null], pValue: null, better: null };
  // Treats differences as equal if they are equal up to rounding.
  const least = Math.abs(difference) - 1e-9;
  let extreme = 0;
  let wins = 0;
  for (const d of resampled) {
    if (Math.abs(d - difference) >= least) extreme += 1;
    if (d > 0) wins += 1;
  }
  resampled.sort();
  const at = (share: number) => resampled[Math.max(0, Math.ceil(share * length) - 1)]!;
  return {
    difference,
    interval: [at(0.025), at(0.975)],
    pValue: (1 + extreme) / (length + 1),
    better: wins / length,
  };
}

/** One sentence's contribution to the scores: its tokens, correct tokens and spans. */
export interface SentenceCounts extends Readonly<MatchCounts> {
  readonly tokens: number;
  readonly equal: number;
}

/**
 * Returns the counts of one sentence; span counts are 0 if the tags do not mark spans.
 *
 * @throws TagstreamError `length-mismatch`
 * @example
 * sentenceCounts(['B-X', 'O'], ['B-X', 'B-X'], true) // => { tokens: 2, equal: 1, correct: 1, gold: 1, predicted: 2 }
 */
export function sentenceCounts(
  gold: readonly string[],
  predicted: readonly string[],
  spanScheme: boolean,
): SentenceCounts {
  const equal = countEqualTags(gold, predicted);
  const spans = { correct: 0, gold: 0, predicted: 0 };
  if (spanScheme) countSpans(gold, predicted, spans);
  return { tokens: gold.length, equal, ...spans };
}

/**
 * Adjusts the p-values of several tests so that the probability of any false rejection is at most the significance
 * level (Holm 1979): with the values sorted, p_1 <= ... <= p_m,
 *
 *     adjusted_i = min(1, max over j <= i of (m - j + 1) p_j)
 *
 * @returns the adjusted values, in the order of the input
 * @example
 * adjustByHolm([0.04, 0.01, 0.03]) // => [0.06, 0.03, 0.06]
 */
export function adjustByHolm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, i) => i).sort((a, b) => pValues[a]! - pValues[b]!);
  const adjusted = new Array<number>(pValues.length);
  let most = 0;
  for (const [rank, i] of order.entries()) {
    most = Math.max(most, Math.min(1, (pValues.length - rank) * pValues[i]!));
    adjusted[i] = most;
  }
  return adjusted;
}
