/** y += factor * x; returns the sum of y z, in one walk over the three; sums as `dot` does. */
export function addScaledThenDot(
  factor: number,
  x: Float64Array,
  y: Float64Array,
  z: Float64Array,
): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = x.length - (x.length % 4);
  for (let i = 0; i < whole; i += 4) {
    const first = y[i]! + factor * x[i]!;
    const second = y[i + 1]! + factor * x[i + 1]!;
    const third = y[i + 2]! + factor * x[i + 2]!;
    const fourth = y[i + 3]! + factor * x[i + 3]!;
    y[i] = first;
    y[i + 1] = second;
    y[i + 2] = third;
    y[i + 3] = fourth;
    a += first * z[i]!;
    b += second * z[i + 1]!;
    c += third * z[i + 2]!;
    d += fourth * z[i + 3]!;
  }
  for (let i = whole; i < x.length; i += 1) {
    const value = y[i]! + factor * x[i]!;
    y[i] = value;
    a += value * z[i]!;
  }
  return a + b + (c + d);
}
