/** y += factor * x; returns the sum of y z, in one walk over the three. */
export function addScaledThenDot(
  factor: number,
  x: Float64Array,
  y: Float64Array,
  z: Float64Array,
): number {
  let sum = 0;
  for (let i = 0; i < x.length; i += 1) {
    const value = y[i]! + factor * x[i]!;
    y[i] = value;
    sum += value * z[i]!;
  }
  return sum;
}
