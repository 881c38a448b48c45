import { TagstreamError } from '../../../../engine/core/errors.js';
import { kinds, requireArgument } from '../../../../engine/core/schema/require-argument.js';
import {
  recordSentences,
  recordTokens,
  requireAtMost,
  requireShort,
} from '../../../../engine/core/sentence/sentence-limit.js';
import { requireText } from '../../../../engine/models/decoding/require-tokens.js';
import type { TaggerSentence } from '../../../../engine/models/tagger.js';

/** Options of a request to a `TaggerPool`. */
export interface TaggerRequestOptions {
  /**
   * Cancels the request when aborted: the request rejects with the signal's reason, an `AbortError`, and makes room for
   * another one. A thread does not start a cancelled request, but completes one that it has started.
   */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the request is given up (`timeout`), as if cancelled. Default: the pool's timeout. */
  readonly timeout?: number | undefined;
}

/** Names of the options of a request. */
export const requestOptionNames = ['signal', 'timeout'] as const;

/** Limits of a request to a pool. */
export interface RequestLimits {
  readonly maxTokens: number;
  readonly maxTextBytes: number;
}

/** Maximum number of milliseconds of a timer. */
const longestTimeout = 2 ** 31 - 1;

/** @throws TagstreamError `config` for an invalid time limit */
export function requireTimeout(timeout: number | undefined): void {
  if (timeout === undefined || (timeout > 0 && timeout <= longestTimeout)) return;
  throw new TagstreamError('config', `timeout is ${timeout}`, {
    fix: `give a number of milliseconds greater than 0, at most ${longestTimeout}, or leave it out for no limit`,
  });
}

/**
 * Waits for the answer to a request until the request is cancelled or times out.
 *
 * @param run starts the request, which the signal cancels
 * @throws (rejects with) the reason of the request's signal, TagstreamError `timeout`, and errors of `run`
 */
export async function untilCancelled<Result>(
  { signal, timeout }: TaggerRequestOptions,
  run: (signal?: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (signal === undefined && timeout === undefined) return run();
  const end = new AbortController();
  const cancel = () => end.abort(signal?.reason);
  signal?.addEventListener('abort', cancel, { once: true });
  const timer =
    timeout === undefined ? undefined : setTimeout(() => end.abort(late(timeout)), timeout);
  try {
    return await run(end.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

/** @throws TagstreamError `wrong-shape` for an invalid signal */
export function requireSignal(signal: AbortSignal | undefined): void {
  if (signal !== undefined) requireArgument('the signal', signal, kinds.signal);
}

/**
 * Checks the size of a text in bytes before it is sent anywhere.
 *
 * @throws TagstreamError `wrong-shape`, `too-long`
 */
export function requireShortText(text: string, { maxTextBytes }: RequestLimits): void {
  requireText(text);
  // No text has fewer bytes than UTF-16 code units.
  const bytes = text.length > maxTextBytes ? text.length : Buffer.byteLength(text);
  if (bytes > maxTextBytes) throw tooLong(bytes, maxTextBytes);
}

/**
 * Checks the size of sentences before they are sent anywhere. Leaves anything but lists of tokens to the thread, which
 * reports the error.
 *
 * @throws TagstreamError `too-long`, `too-large`
 */
export function requireShortSentences(
  sentences: readonly TaggerSentence[],
  { maxTokens, maxTextBytes }: RequestLimits,
): void {
  requireAtMost(recordSentences * maxTokens, sentences, 'sentences');
  let [length, units] = [0, 0];
  for (const sentence of sentences) {
    const tokens: unknown = Array.isArray(sentence)
      ? sentence
      : (sentence as { tokens?: unknown } | undefined)?.tokens;
    if (!Array.isArray(tokens)) continue;
    requireShort([[0, tokens.length]], maxTokens);
    length += tokens.length;
    for (const token of tokens as unknown[]) if (typeof token === 'string') units += token.length;
    if (units > maxTextBytes) throw tooLong(units, maxTextBytes);
  }
  requireAtMost(recordTokens * maxTokens, { length }, 'tokens');
}

function tooLong(bytes: number, most: number): TagstreamError {
  return new TagstreamError('too-long', `a text of at least ${bytes} bytes`, {
    fix: `the limit is ${most}; raise maxTextBytes or shorten the text`,
  });
}

function late(timeout: number): TagstreamError {
  return new TagstreamError('timeout', `tagging did not finish within ${timeout} ms`, {
    fix: 'send shorter texts or fewer at a time, use more threads, or raise timeout',
  });
}
