import { Random } from '../../../src/core/random.js';
import { shareSeed } from './seed.js';

/** Whether all of the long tests is asked for: `TAGSTREAM_FULL=1`, as `npm run test:nightly` sets it. */
export const isNightly = process.env.TAGSTREAM_FULL === '1';

/**
 * Where a share of a long test begins, which takes one of `parts` equal parts of what all of it does; 0 under
 * `TAGSTREAM_FULL=1`.
 */
export function drawPart(parts: number): number {
  return isNightly ? 0 : new Random(shareSeed()).below(parts);
}
