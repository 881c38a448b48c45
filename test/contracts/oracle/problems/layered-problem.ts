import type { Random } from '../../../../src/core/random.js';
import type { KernelPlace } from '../kernels/kernel-place.js';
import { type Problem, type ProblemShape, randomProblem } from './problem.js';

/** A random problem whose labels are some of the pairs of two layers, of up to three columns each. */
export function layeredProblem(
  random: Random,
  place: KernelPlace,
  fixed: Partial<ProblemShape> = {},
): Problem {
  const ofFirst = 1 + random.below(3);
  const ofSecond = 1 + random.below(3);
  // Columns of both layers are mixed, as labels are met.
  const columns = random.shuffle(Uint32Array.from({ length: ofFirst + ofSecond }, (_, i) => i));
  const first: number[] = [];
  const second: number[] = [];
  for (let a = 0; a < ofFirst; a += 1) {
    for (let b = 0; b < ofSecond; b += 1) {
      if (first.length > 0 && random.below(3) === 0) continue;
      first.push(columns[a]!);
      second.push(columns[ofFirst + b]!);
    }
  }
  const shape = { labels: columns.length, edgeFeatures: 0, transitions: true, labelled: true };
  return randomProblem(random, { ...shape, layers: { first, second }, ...fixed }, place);
}
