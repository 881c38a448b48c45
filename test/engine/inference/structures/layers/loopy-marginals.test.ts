import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/engine/core/random.js';
import { scoreBatch } from '../../../../../src/engine/inference/score-batch.js';
import { loopyMarginals } from '../../../../../src/engine/inference/structures/layers/loopy-marginals.js';
import type { LabelLayers } from '../../../../../src/engine/kernels/store/label-columns.js';
import { Decoder } from '../../../../../src/engine/models/decoding/decoder.js';
import { Deviations } from '../../../../contracts/oracle/differences/deviations.js';
import { Enumeration } from '../../../../contracts/oracle/enumeration.js';
import { KernelPlace } from '../../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../../../contracts/oracle/kernels/lattice-reader.js';
import { layeredProblem } from '../../../../contracts/oracle/problems/layered-problem.js';

const full = process.env.TAGSTREAM_FULL === '1';
/** Sentences without loops for each kernel, where the sums are exact: some, or all there are to be. */
const trees = full ? 10_000 : 150;

describe.each(kernelRows)('loopy sums, $name kernel', ({ kernel, tolerance }) => {
  const close = Math.max(1e-10, tolerance);

  /** Whether the graph of a problem has no loop that messages could go round: then they are exact. */
  function isTree(layers: LabelLayers, longest: number): boolean {
    return layers.filter(own => new Set(own).size > 1).length < 2 || longest === 1;
  }

  it.each([2, 3])(
    'are those of the enumeration of %i layers without loops, and near them with loops',
    count => {
      const random = new Random(71);
      let place = new KernelPlace(kernel);
      let lattice = place.lattice();
      const exact = new Deviations();
      let [loops, apart, rounds] = [0, 0, 0];
      for (let i = 0, left = trees; left > 0; i += 1) {
        if (i % 200 === 0) {
          place = new KernelPlace(kernel);
          lattice = place.lattice();
        }
        const { store, batch, scores } = layeredProblem(
          random,
          place,
          { spread: 0.5, scale: 1 },
          count,
        );
        const layers = store.layout.layers!;
        scoreBatch(kernel, store, lattice, batch);
        for (const [s, own] of scores.entries()) {
          rounds = Math.max(rounds, loopyMarginals(lattice, s, layers));
          const found = new LatticeReader(lattice, s).nodes().flat();
          const expected = new Enumeration(own).nodes.flat();
          if (isTree(layers, own.emissions.length)) {
            exact.note('marginals', found, expected);
            left -= 1;
            continue;
          }
          loops += 1;
          apart += Math.max(...found.map((each, j) => Math.abs(each - expected[j]!)));
          for (const row of new LatticeReader(lattice, s).nodes()) {
            expect(row.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5);
          }
        }
      }
      expect(exact.beyond(close)).toEqual([]);
      expect(loops).toBeGreaterThan(50);
      expect(apart / loops).toBeLessThan(0.02);
      expect(rounds).toBeLessThan(50);
    },
  );

  it('decode each token by itself, and nothing of sequences', { tags: 'slow' }, () => {
    const random = new Random(72);
    const place = new KernelPlace(kernel);
    let [same, tokens] = [0, 0];
    for (let i = 0; i < 60; i += 1) {
      const { store, batch } = layeredProblem(random, place, { spread: 1 });
      const decoder = new Decoder(kernel);
      const loopy = decoder.decode(store, batch, { decoding: 'loopy', marginals: true });
      const exact = decoder.decode(store, batch, { decoding: 'posterior', marginals: true });
      for (const [t, label] of loopy.labels.entries()) {
        tokens += 1;
        if (label === exact.labels[t]) same += 1;
      }
      for (const more of [{ probability: true }, { nbest: 2 }, { spanProbabilities: true }]) {
        expect(() => decoder.decode(store, batch, { decoding: 'loopy', ...more })).toThrow(
          expect.objectContaining({ code: 'config' }),
        );
      }
    }
    expect(same / tokens).toBeGreaterThan(0.97);
  });
});
