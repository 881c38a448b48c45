import type { Document } from './sentence/document.js';

/** Records of documents that are held out together, where there are enough: as many as most documents have. */
const longest = 50;

/** Fewest runs of each part, if there are enough records. */
const leastRuns = 4;

/**
 * Returns how many consecutive records go to the same part when records are split into parts: otherwise a model is scored
 * on names and subjects that it has seen in training. Parts are about equal.
 *
 * @example
 * runLength(10_000, 10) // => 50
 * runLength(200, 10) // => 5
 */
export function runLength(records: number, parts: number): number {
  return Math.min(longest, Math.max(1, Math.floor(records / (parts * leastRuns))));
}

/** Whether a record says which document it is of, or that one begins with it. */
export function isOfDocument({ documentId, startsDocument }: Document): boolean {
  return documentId !== undefined || startsDocument === true;
}
