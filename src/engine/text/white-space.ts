import type { Range } from '../core/sentence/document.js';

/**
 * Returns whether a UTF-16 unit is white space, that is, whether `\s` matches it in a regular
 * expression.
 *
 * @example
 * isWhiteSpace('\u00a0'.charCodeAt(0)) // => true
 * isWhiteSpace('a'.charCodeAt(0)) // => false
 */
export function isWhiteSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x1680) return unit === 0xa0;
  return (
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}

/**
 * Appends `[start, end)` to `ranges` without the white space at both ends, unless nothing is left.
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
