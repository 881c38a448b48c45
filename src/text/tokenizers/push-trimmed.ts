import type { Range } from '../../core/sentence/document.js';
import { isWhiteSpace } from '../white-space.js';

/**
 * Appends `[start, end)` to `ranges` without the white space at its two ends, or not at all when
 * nothing else is left. Changes `ranges`.
 *
 * @example
 * const ranges = [];
 * pushTrimmed(ranges, 'a  b ', 1, 5);
 * ranges // => [[3, 4]]
 */
export function pushTrimmed(ranges: Range[], text: string, start: number, end: number): void {
  let from = start;
  let to = end;
  while (from < to && isWhiteSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isWhiteSpace(text.charCodeAt(to - 1))) to -= 1;
  if (from < to) ranges.push([from, to]);
}
