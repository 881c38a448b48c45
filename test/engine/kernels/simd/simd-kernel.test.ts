import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { scoreBatch } from '../../../../src/engine/inference/score-batch.js';
import { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { KernelPlace } from '../../../contracts/oracle/kernels/kernel-place.js';
import { randomProblem } from '../../../contracts/oracle/problems/problem.js';

const shape = { edgeFeatures: 3, labels: 3, stateRows: 5, sentences: 3, labelled: true } as const;

describe.each(['float64', 'float32'] as const)('SimdKernel in %s', precision => {
  const kernel = new SimdKernel(precision);

  it('has the precision that it was made with', () => {
    expect([kernel.name, kernel.precision]).toEqual(['simd', precision]);
  });

  it('refuses a lattice in another memory, and parameters of another precision', () => {
    const refused = expect.objectContaining({
      code: 'stage',
      message: expect.stringContaining(`with the precision ${precision}`),
    });
    const place = new KernelPlace(kernel);
    const { store, batch } = randomProblem(new Random(1), shape, place);
    const apart = new Lattice(undefined, precision);
    expect(() => scoreBatch(kernel, store, apart, batch)).toThrow(refused);
    const other = new SimdKernel(precision === 'float64' ? 'float32' : 'float64');
    expect(() => scoreBatch(other, store, place.lattice(), batch)).toThrow(
      expect.objectContaining({ code: 'stage' }),
    );
    expect(() => scoreBatch(kernel, store, place.lattice(), batch)).not.toThrow();
  });

  it('works on one lattice after another has been scored in the same memory', () => {
    const random = new Random(2);
    for (let i = 0; i < 40; i += 1) {
      const place = new KernelPlace(kernel);
      const problems = [0, 1].map(() => randomProblem(random, shape, place));
      const found = (interleaved: boolean) => {
        const lattices = problems.map(() => place.lattice());
        const infer = (which: number) => {
          const lattice = lattices[which]!;
          const { batch } = problems[which]!;
          kernel.exponentiate(lattice);
          const labels = new Int32Array(batch.tokens);
          const numbers: number[] = [];
          for (let s = 0; s < batch.sentences.length; s += 1) {
            numbers.push(kernel.forwardBackwardScaled(lattice, s));
            numbers.push(kernel.viterbi(lattice, s, labels));
          }
          numbers.push(...lattice.nodes.view.subarray(0, batch.tokens * lattice.width));
          return [...numbers, ...labels];
        };
        const score = (which: number) =>
          scoreBatch(kernel, problems[which]!.store, lattices[which]!, problems[which]!.batch);
        score(0);
        const early = interleaved ? undefined : infer(0);
        score(1);
        return [early ?? infer(0), infer(1)];
      };
      expect(found(true)).toEqual(found(false));
    }
  });
});
