/** Sum of |x|. */
export function norm1(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i += 1) sum += Math.abs(x[i]!);
  return sum;
}
