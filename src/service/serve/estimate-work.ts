import { TagstreamError } from '../../engine/core/errors.js';
import type { ServedWish } from './threads/served-task.js';

/** The labels of a model, on which the work of a token depends. */
export interface ModelLabels {
  /** Number of labels. */
  readonly count: number;
  /** Number of taggers that tag one after the other. */
  readonly taggers: number;
}

/** Bytes of a record per token: of English text, with the white space, a little more than five. */
const tokenBytes = 5;

/** Pairs of neighbouring labels whose scores take as long as all other work of a plain token. */
const plainPairs = 5000;

/** Share of the possible number of label pairs above a threshold that texts have: probabilities are seldom even. */
const usualPairs = 0.25;

/** Work of an explained token: each of its features is named. */
const explained = 100;

/**
 * Estimates the work per token of a request before it begins, as a multiple of the work of a plain tag: from the number
 * of labels, and from what is asked. The factors are measured, and right within a factor of two for most models.
 *
 * @example
 * const options = { output: 'record', marginals: 'all' };
 * const wish = { key: '', form: 'records', options, modelVersion: false, fields: {} };
 * workPerToken(wish, { count: 20, taggers: 1 }) // => 11.32
 */
export function workPerToken(
  { form, options }: Pick<ServedWish, 'form' | 'options'>,
  { count, taggers }: ModelLabels,
): number {
  const { decoding = 'viterbi', marginals = false, pairThreshold = 0.01, nbest = 0 } = options;
  const { probability = false, spanProbabilities = false, redact } = options;
  const pairs = count * count;
  const path = pairs / plainPairs;
  const isSummed =
    decoding !== 'viterbi' || marginals !== false || probability || spanProbabilities;
  const values =
    marginals === 'all'
      ? count / 2
      : marginals === 'pairs'
        ? Math.min(pairs, usualPairs / pairThreshold)
        : Number(marginals);
  // Records of a form other than plain lines become objects.
  const written = form === 'records' && redact === undefined ? 1 : 3;
  const own = written + path + (isSummed ? 3 * path : 0) + values;
  const more = nbest * (0.5 + path) + (form === 'explanation' ? explained : 0);
  return taggers * (own + more);
}

/**
 * Returns the error of a request, or of a record of a stream, that is too much work; undefined if it is not.
 *
 * @param bytes size of its records
 * @param weight work per token
 * @param most maximum work, as a number of tokens that get plain tags
 * @example
 * excessOfWork(500_000, 1, 1_000_000) // => undefined
 * excessOfWork(500_000, 100, 1_000_000).problem
 * // => 'about 100,000 tokens, each as much work as 100 tokens with plain tags'
 * excessOfWork(500_000, 100, 1_000_000).fix // => 'send at most 50,000 bytes at a time, or ask for fewer results'
 */
export function excessOfWork(
  bytes: number,
  weight: number,
  most: number,
): TagstreamError | undefined {
  const tokens = Math.ceil(bytes / tokenBytes);
  if (tokens * weight <= most) return undefined;
  const shown = (count: number) => Math.ceil(count).toLocaleString('en');
  const each = `each as much work as ${shown(weight)} tokens with plain tags`;
  const limit = shown(Math.floor(most / weight) * tokenBytes);
  return new TagstreamError('too-large', `about ${shown(tokens)} tokens, ${each}`, {
    fix: `send at most ${limit} bytes at a time, or ask for fewer results`,
  });
}

/** @throws TagstreamError `too-large` for an answer of more than `most` bytes */
export function requireShortAnswer(bytes: number, most: number): void {
  if (bytes <= most) return;
  throw new TagstreamError('too-large', `the answer has more than ${most} bytes`, {
    fix: 'send fewer or shorter records at a time, ask for fewer results, or stream NDJSON',
  });
}
