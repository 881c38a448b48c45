/**
 * The largest |a - b| / max(1, |b|) over two lists of numbers; NaN where any is NaN, infinite where the
 * lists differ in length. Equal infinities do not differ.
 */
export function difference(actual: Iterable<number>, expected: Iterable<number>): number {
  const a = Array.from(actual);
  const b = Array.from(expected);
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let i = 0; i < a.length; i += 1) {
    if (a[i] === b[i]) continue;
    largest = Math.max(largest, Math.abs(a[i]! - b[i]!) / Math.max(1, Math.abs(b[i]!)));
  }
  return largest;
}
