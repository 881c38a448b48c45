/** y += factor * x. */
export function addScaled(factor: number, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < x.length; i += 1) y[i]! += factor * x[i]!;
}
