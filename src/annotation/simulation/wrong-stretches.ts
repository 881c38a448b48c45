/**
 * How many corrections make a proposal right: stretches of wrong tokens next to each other.
 *
 * @param asked tokens that are looked at
 * @example
 * wrongStretches(['A', 'B', 'B', 'O'], ['A', 'O', 'O', 'B'], [0, 1, 2, 3]) // => 1
 * wrongStretches(['A', 'B', 'A'], ['O', 'B', 'O'], [0, 1, 2]) // => 2
 */
export function wrongStretches(
  gold: readonly string[],
  proposed: readonly string[],
  asked: readonly number[],
): number {
  let stretches = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const t of asked) {
    if (gold[t] === proposed[t]) continue;
    if (t > last + 1) stretches += 1;
    last = t;
  }
  return stretches;
}
