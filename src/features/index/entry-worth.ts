/** The mark of an entry that was seen since the last sweep. */
export const recent = 2 ** 31;

/** Largest age, counted in sweeps: less than a hundredth of a strength is left then. */
const oldest = 255;

/** Decay of a strength per sweep without its feature: half of it is left after 34 sweeps. */
const keeps = 0.98;

/** Added to a strength for being seen since the last sweep: it decides among features without weights. */
const seenAdds = 2 ** -20;

/**
 * Returns the number of sweeps since a feature was last seen, from the last word of its entry: 0 if it was seen
 * since the last one.
 *
 * @example
 * [ageOf(1), ageOf(recent + 1)] // => [1, 0]
 */
export function ageOf(seen: number): number {
  return seen >= recent ? 0 : Math.min(seen, oldest);
}

/**
 * Returns the worth of keeping a feature: the size of its weights times 0.98 for each sweep without it. Most features are
 * new and never seen again; a single step set their weights, so they are evicted before those that many steps have shaped.
 * Features learned long ago are eventually evicted too, whether the optimizer shrinks weights or not.
 *
 * @param seen the last word of its entry
 * @param strength the size of its weights; absent if it has no row yet
 * @example
 * entryWorth(1, 4) // => 3.92
 * entryWorth(recent + 1, 4) > 4 // => true
 * entryWorth(1, undefined) // => 0
 */
export function entryWorth(seen: number, strength = 0): number {
  const age = ageOf(seen);
  return age === 0 ? strength + seenAdds : strength * keeps ** age;
}
