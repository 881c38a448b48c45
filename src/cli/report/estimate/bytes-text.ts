import { grouped } from '../../../core/wording/grouped.js';
/** Two digits of a number. */
export function rounded(value: number): number {
  return value < 1 ? 0 : Number(value.toPrecision(2));
}

/**
 * Bytes in two digits.
 *
 * @example
 * bytesText(1_234_567) // => '1.2 MB'
 * bytesText(999_999) // => '1 MB'
 */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const shown = rounded(bytes);
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1, shown)) / 3));
  return `${grouped(rounded(shown / 1000 ** power))} ${units[power]}`;
}
