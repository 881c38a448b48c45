import type { Document } from './sentence/document.js';

/** Records of documents that are held out together, where there are enough: as many as most documents have. */
const longest = 50;

/** Runs of each part at least, where there are so many records. */
const leastRuns = 4;

/**
 * How many records that follow each other go to the same part of several, where records are of documents: a model has seen
 * the names and the subject of what it is scored on otherwise. So many that parts are about equal.
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
