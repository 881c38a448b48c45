/** x *= factor. */
export function scale(factor: number, x: Float64Array): void {
  for (let i = 0; i < x.length; i += 1) x[i]! *= factor;
}
