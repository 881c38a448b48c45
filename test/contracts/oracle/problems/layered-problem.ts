import type { Random } from '../../../../src/engine/core/random.js';
import type { KernelPlace } from '../kernels/kernel-place.js';
import { type Problem, type ProblemShape, randomProblem } from './problem.js';

/** A random problem whose labels are some of the tuples of two layers, or of `count`, of up to three columns each. */
export function layeredProblem(
  random: Random,
  place: KernelPlace,
  fixed: Partial<ProblemShape> = {},
  count = 2,
): Problem {
  const sizes = Array.from({ length: count }, () => 1 + random.below(3));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  // Columns of all layers are mixed, as labels are met.
  const columns = random.shuffle(Uint32Array.from({ length: all }, (_, i) => i));
  const layers: number[][] = sizes.map(() => []);
  const tuples = sizes.reduce((product, size) => product * size, 1);
  for (let number = 0; number < tuples; number += 1) {
    if (layers[0]!.length > 0 && random.below(count === 2 ? 3 : 2) === 0) continue;
    let [rest, offset] = [number, all];
    for (let k = count - 1; k >= 0; k -= 1) {
      offset -= sizes[k]!;
      layers[k]!.push(columns[offset + (rest % sizes[k]!)]!);
      rest = Math.floor(rest / sizes[k]!);
    }
  }
  const shape = { labels: columns.length, edgeFeatures: 0, transitions: true, labelled: true };
  return randomProblem(random, { ...shape, layers, ...fixed }, place);
}
