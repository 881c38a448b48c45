/** How many numbers of a vector are not zero. */
export function countActive(x: Float64Array): number {
  let active = 0;
  for (let i = 0; i < x.length; i += 1) if (x[i] !== 0) active += 1;
  return active;
}
