import type { Document } from './sentence/document.js';

/**
 * Maximum length of a run of records held out together, if there are enough records: about the
 * length of a document.
 */
const longest = 50;

/** Minimum number of runs per part, if there are enough records. */
const leastRuns = 4;

/**
 * Returns the number of consecutive records that go to the same part when records are split into
 * about equal parts. If single records were drawn, a model would be scored on names and topics seen
 * in training.
 *
 * @example
 * runLength(10_000, 10) // => 50
 * runLength(200, 10) // => 5
 */
export function runLength(records: number, parts: number): number {
  return Math.min(longest, Math.max(1, Math.floor(records / (parts * leastRuns))));
}

/** Returns whether a record names its document or starts one. */
export function isOfDocument({ documentId, startsDocument }: Document): boolean {
  return documentId !== undefined || startsDocument === true;
}
