import type { Random } from '../../../../src/engine/core/random.js';
import type { CodeDecoder } from '../../../../src/engine/kernels/store/label-columns.js';
import type { KernelPlace } from '../kernels/kernel-place.js';
import { type Problem, randomProblem } from './problem.js';

/** A random problem whose 2 to 5 labels are different words of 3 or 4 bits. */
export function codedProblem(random: Random, decoder: CodeDecoder, place: KernelPlace): Problem {
  const bits = 3 + random.below(2);
  const numbers = random.shuffle(Uint32Array.from({ length: 2 ** bits }, (_, i) => i));
  const words = Array.from(numbers.subarray(0, 2 + random.below(4)), number =>
    Array.from({ length: bits }, (_, b) => (number >> b) & 1),
  );
  const shape = { labels: 2 * bits, edgeFeatures: 0, labelled: true };
  return randomProblem(random, { ...shape, codes: { words, decoder } }, place);
}
