import type { Random } from '../../../../src/engine/core/random.js';
import type { KernelPlace } from '../kernels/kernel-place.js';
import { type Problem, type ProblemShape, randomProblem } from './problem.js';

/** A random problem of two to five labels, each of some of up to five columns. */
export function partedProblem(
  random: Random,
  place: KernelPlace,
  fixed: Partial<ProblemShape> = {},
): Problem {
  const count = 2 + random.below(4);
  const starts = [0];
  const columns: number[] = [];
  for (let y = 0; y < 2 + random.below(4); y += 1) {
    const own = Array.from({ length: count }, (_, p) => p).filter(() => random.below(2) === 0);
    columns.push(...(own.length === 0 ? [random.below(count)] : own));
    starts.push(columns.length);
  }
  const shape = { labels: count, edgeFeatures: 0, transitions: true, labelled: true };
  return randomProblem(random, { ...shape, parts: { starts, columns }, ...fixed }, place);
}
