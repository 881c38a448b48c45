/** float64 lanes that rows are padded to: one cache line of 64 bytes holds two such groups. */
const laneGroup = 4;

/**
 * Lanes in a row for `labels` labels: the next multiple of four.
 *
 * @example
 * rowWidth(22) // => 24
 */
export function rowWidth(labels: number): number {
  return Math.max(laneGroup, Math.ceil(labels / laneGroup) * laneGroup);
}
