/**
 * `100 * part / whole`; 0 where `whole` is 0.
 *
 * @example
 * percent(1, 4) // => 25
 * percent(0, 0) // => 0
 */
export function percent(part: number, whole: number): number {
  return whole > 0 ? (100 * part) / whole : 0;
}
