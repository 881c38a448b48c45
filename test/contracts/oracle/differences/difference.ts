/**
 * The largest |a - b| / max(1, |b|) over two lists of numbers; NaN where any is NaN, infinite where the
 * lists differ in length. Equal infinities do not differ.
 */
export function difference(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let i = 0; i < actual.length; i += 1) {
    const a = actual[i]!;
    const b = expected[i]!;
    if (a === b) continue;
    const apart = Math.abs(a - b) / Math.max(1, Math.abs(b));
    // Math.max keeps a NaN once it has met one.
    largest = Math.max(largest, apart);
  }
  return largest;
}
