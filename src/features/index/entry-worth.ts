/** The mark of an entry that was seen since the last sweep. */
export const recent = 2 ** 31;

/** Sweeps that an age counts: a strength that was halved so often is none. */
const oldest = 255;

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
 * How much a feature is worth its place: features that were seen since the last sweep more than all others, and
 * among them those more whose weights are larger. A strength is halved with each sweep through which its feature
 * was not seen, so that what was learned long ago makes room in the end, whether the optimizer shrinks weights or not.
 *
 * @param seen the last word of its entry
 * @param strength how large its weights are; absent where it has no row yet
 * @example
 * entryWorth(1, 4) // => 0.4
 * entryWorth(recent + 1, 0) // => 1
 * entryWorth(1, undefined) // => 0
 */
export function entryWorth(seen: number, strength: number | undefined): number {
  if (strength === Number.POSITIVE_INFINITY) return strength;
  const age = ageOf(seen);
  const share = strength === undefined ? 0 : strength / (1 + strength);
  if (age === 0) return 1 + share;
  return age === 1 ? share / 2 : share / 2 ** age;
}
