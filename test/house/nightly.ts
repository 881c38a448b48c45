import { Random } from '../../src/core/random.js';

/** Whether all of the long tests is asked for: `TAGSTREAM_FULL=1`, as `npm run test:nightly` sets it. */
export const isNightly = process.env.TAGSTREAM_FULL === '1';

/** What the shares of long tests are drawn with, so that every run has the same ones. */
const shareSeed = 45;

/**
 * A share of the cases of a long test, in their order: always the same ones, drawn with the seed 45; all of them under
 * `TAGSTREAM_FULL=1`.
 *
 * @param most how many are in the share
 */
export function share<Case>(cases: readonly Case[], most: number): readonly Case[] {
  if (isNightly || cases.length <= most) return cases;
  const random = new Random(shareSeed);
  const left = cases.map((_, i) => i);
  const drawn = Array.from({ length: most }, () => left.splice(random.below(left.length), 1)[0]!);
  return drawn.sort((a, b) => a - b).map(i => cases[i]!);
}
