/** Mark of an entry that was seen since the last sweep. */
export const recent = 2 ** 31;

/** Maximum age in sweeps, after which less than a hundredth of a strength is left. */
const oldest = 255;

/** Decay of a strength per sweep without its feature; it halves in 34 sweeps. */
const keeps = 0.98;

/**
 * Amount added to a strength if the feature was seen since the last sweep; decides among features
 * without weights.
 */
const seenAdds = 2 ** -20;

/**
 * Returns the number of sweeps since a feature was last seen, given the last word of its entry; 0
 * if the feature was seen since the last sweep.
 *
 * @example
 * [ageOf(1), ageOf(recent + 1)] // => [1, 0]
 */
export function ageOf(seen: number): number {
  return seen >= recent ? 0 : Math.min(seen, oldest);
}

/**
 * Returns the worth of keeping a feature: the size of its weights times 0.98 for each sweep without
 * it. Most features are new and never seen again; their weights were set by a single step, so they
 * are evicted before features with weights from many steps. Features learned long ago are
 * eventually evicted too, whether the optimizer shrinks weights or not.
 *
 * @param seen last word of the feature's entry
 * @param strength size of the feature's weights; absent if it has no row yet
 * @example
 * entryWorth(1, 4) // => 3.92
 * entryWorth(recent + 1, 4) > 4 // => true
 * entryWorth(1, undefined) // => 0
 */
export function entryWorth(seen: number, strength = 0): number {
  const age = ageOf(seen);
  return age === 0 ? strength + seenAdds : strength * keeps ** age;
}
