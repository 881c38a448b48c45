import type { Document } from './sentence/document.js';

/**
 * Longest run of records that is held out together, if there are enough records: about the length of a
 * document.
 */
const longest = 50;

/** Fewest runs of each part, if there are enough records. */
const leastRuns = 4;

/**
 * Returns how many consecutive records go to the same part when records are split into parts: with single records, a
 * model would be scored on names and topics seen in training. Parts are about equal.
 *
 * @example
 * runLength(10_000, 10) // => 50
 * runLength(200, 10) // => 5
 */
export function runLength(records: number, parts: number): number {
  return Math.min(longest, Math.max(1, Math.floor(records / (parts * leastRuns))));
}

/** Whether a record names its document or starts one. */
export function isOfDocument({ documentId, startsDocument }: Document): boolean {
  return documentId !== undefined || startsDocument === true;
}
