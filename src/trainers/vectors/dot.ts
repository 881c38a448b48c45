/** Sum of x y, in float64. */
export function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i += 1) sum += x[i]! * y[i]!;
  return sum;
}
