/** The mark of an entry that was seen since the last sweep. */
export const recent = 2 ** 31;

/** Sweeps that an age counts: less than a hundredth of a strength is left then. */
const oldest = 255;

/** What a strength keeps through a sweep in which its feature was not seen: half of it after 34 of them. */
const keeps = 0.98;

/** What having been seen since the last sweep adds to a strength: it decides among features without weights. */
const seenAdds = 2 ** -20;

/**
 * Sweeps through which a feature was not seen, from the last word of its entry: 0 if it was seen since the last one.
 *
 * @example
 * [ageOf(1), ageOf(recent + 1)] // => [1, 0]
 */
export function ageOf(seen: number): number {
  return seen >= recent ? 0 : Math.min(seen, oldest);
}

/**
 * How much a feature is worth its place: how large its weights are, times 0.98 for each sweep through which it was not seen.
 * Most features are new and are never seen again; one step makes their weights, so that they make room before those that
 * many steps have made. What was learned long ago makes room in the end, whether the optimizer shrinks weights or not.
 *
 * @param seen the last word of its entry
 * @param strength how large its weights are; absent where it has no row yet
 * @example
 * entryWorth(1, 4) // => 3.92
 * entryWorth(recent + 1, 4) > 4 // => true
 * entryWorth(1, undefined) // => 0
 */
export function entryWorth(seen: number, strength = 0): number {
  const age = ageOf(seen);
  return age === 0 ? strength + seenAdds : strength * keeps ** age;
}
