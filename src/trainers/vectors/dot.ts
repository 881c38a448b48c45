/** Sum of x y, in float64: four sums side by side, as each addition waits for the one before. */
export function dot(x: Float64Array, y: Float64Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = x.length - (x.length % 4);
  for (let i = 0; i < whole; i += 4) {
    a += x[i]! * y[i]!;
    b += x[i + 1]! * y[i + 1]!;
    c += x[i + 2]! * y[i + 2]!;
    d += x[i + 3]! * y[i + 3]!;
  }
  for (let i = whole; i < x.length; i += 1) a += x[i]! * y[i]!;
  return a + b + (c + d);
}
