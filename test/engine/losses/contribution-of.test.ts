import { describe, expect, it } from 'vitest';
import type { Reals } from '../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { Contribution } from '../../../src/engine/core/training/contribution.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { perceptronLoss } from '../../../src/engine/losses/perceptron-loss.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { KernelPlace } from '../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { LatticeReader } from '../../contracts/oracle/kernels/lattice-reader.js';
import { parameterPlaces } from '../../contracts/oracle/kernels/parameter-places.js';
import { randomProblem } from '../../contracts/oracle/problems/problem.js';
import { everyNth } from '../../house/long-forms.js';

describe.each(kernelRows)('contributions of the $name kernel', ({ kernel, tolerance }) => {
  for (const part of everyNth(2, [logLoss, perceptronLoss])) {
    describe.each(part.rows)('$name loss', { tags: part.tags }, loss => {
      it('counts labelled sentences and tokens only, and gives the others a loss of 0', () => {
        const random = new Random(40);
        const place = new KernelPlace(kernel);
        const lattice = place.lattice();
        let unlabelled = 0;
        for (let i = 0; i < 100; i += 1) {
          const { store, batch } = randomProblem(random, {}, place);
          const contribution = contributionOf(kernel, store, lattice, batch, loss);
          const known = batch.sentences.filter(each => each.gold && !each.gold.includes(-1));
          unlabelled += batch.sentences.length - known.length;
          expect(contribution.sentenceCount).toBe(known.length);
          expect(contribution.tokenCount).toBe(known.reduce((sum, each) => sum + each.length, 0));
          expect(contribution.predicted).toBeUndefined();
          for (const [s, each] of batch.sentences.entries()) {
            if (!known.includes(each)) expect(contribution.losses[s]).toBe(0);
          }
        }
        expect(unlabelled).toBeGreaterThan(50);
      });

      it('is the same for a sentence alone and among others, labelled or not', () => {
        const random = new Random(41);
        const place = new KernelPlace(kernel);
        for (let i = 0; i < 60; i += 1) {
          const { store, batch } = randomProblem(random, { sentences: 4 }, place);
          const together = contributionOf(kernel, store, place.lattice(), batch, loss);
          for (const [s, sentence] of batch.sentences.entries()) {
            if (batch.labelled[s] === 0) continue;
            const batchOfOne = packMinibatch([sentence]);
            const alone = contributionOf(kernel, store, place.lattice(), batchOfOne, loss);
            expect(together.losses[s]).toBe(alone.loss);
            const planes = [store.addPlane(), store.addPlane()] as const;
            kernel.accumulate(store, planes[0], together, s, 1);
            kernel.accumulate(store, planes[1], alone, 0, 1);
            for (const table of ['state', 'edges', 'pairs'] as const) {
              expect(planes[0][table].view).toEqual(planes[1][table].view);
            }
          }
        }
      });

      it('predicts the best labels of all sentences where asked', () => {
        const random = new Random(42);
        const place = new KernelPlace(kernel);
        const lattice = place.lattice();
        for (let i = 0; i < 100; i += 1) {
          const { store, batch, scores } = randomProblem(random, {}, place);
          const contribution = contributionOf(kernel, store, lattice, batch, loss, true);
          for (const [s, each] of scores.entries()) {
            const chain = new Enumeration(each);
            if (chain.margin < 10 * tolerance) continue;
            const predicted = new LatticeReader(lattice, s).labels(contribution.predicted!);
            expect(predicted).toEqual(chain.best);
          }
        }
      });

      it('has zero in the lanes past the last label', () => {
        const random = new Random(43);
        const place = new KernelPlace(kernel);
        const lattice = place.lattice();
        for (let i = 0; i < 60; i += 1) {
          const shape = { labels: 1 + random.below(3), edgeFeatures: 2, labelled: true };
          const { store, batch } = randomProblem(random, shape, place);
          const contribution = contributionOf(kernel, store, lattice, batch, loss);
          const { width, matrixSize } = contribution;
          const padded = (view: Reals, rows: number) =>
            Array.from(view.subarray(0, rows * width)).filter((_, i) => i % width >= store.labels);
          expect(padded(contribution.residual, batch.tokens).every(lane => lane === 0)).toBe(true);
          for (let s = 0; s < batch.sentences.length; s += 1) {
            const matrix = contribution.transitionResidual.subarray(s * matrixSize);
            expect(padded(matrix, store.labels).every(lane => lane === 0)).toBe(true);
          }
          for (let slot = 0; slot < lattice.slots; slot += 1) {
            const matrix = contribution.edgeResidual.subarray(slot * matrixSize);
            expect(padded(matrix, store.labels).every(lane => lane === 0)).toBe(true);
          }
        }
      });

      it('has residuals of zero at the tokens of unlabelled sentences', () => {
        const random = new Random(49);
        const place = new KernelPlace(kernel);
        const lattice = place.lattice();
        let unlabelled = 0;
        for (let i = 0; i < 100; i += 1) {
          const { store, batch } = randomProblem(random, { edgeFeatures: 2 }, place);
          const contribution = contributionOf(kernel, store, lattice, batch, loss, i % 2 === 0);
          for (let s = 0; s < batch.sentences.length; s += 1) {
            if (batch.labelled[s] === 1) continue;
            unlabelled += 1;
            const plane = store.addPlane();
            kernel.accumulate(store, plane, contribution, s, 1);
            for (const table of ['state', 'edges', 'pairs'] as const) {
              expect(plane[table].view.every(value => value === 0)).toBe(true);
            }
            const read = new LatticeReader(lattice, s);
            expect(
              read
                .nodes()
                .flat()
                .every(value => value === 0),
            ).toBe(true);
          }
        }
        expect(unlabelled).toBeGreaterThan(50);
      });

      it('gives a finite loss and residual at scores of a thousand', () => {
        const random = new Random(44);
        const place = new KernelPlace(kernel);
        for (let i = 0; i < 40; i += 1) {
          const shape = { spread: 1000, labelled: true, sentences: 1 };
          const { store, batch, scores } = randomProblem(random, shape, place);
          const contribution = contributionOf(kernel, store, place.lattice(), batch, loss);
          const chain = new Enumeration(scores[0]!);
          const gold = batch.sentences[0]!.gold!;
          const expected = loss.name === 'log' ? chain.logLoss(gold) : chain.perceptronLoss(gold);
          // Sums of thousands: the loss is what is left of two of them.
          const allowed = kernel.precision === 'float64' ? 1e-8 : 0.02;
          expect(Math.abs(contribution.loss - expected)).toBeLessThan(allowed);
          expect(contribution.residual.every(Number.isFinite)).toBe(true);
        }
      });
    });
  }

  it('leaves the parameters and the minibatch as they were', () => {
    const place = new KernelPlace(kernel);
    const shape = { stateRows: 5, edgeFeatures: 2 };
    const { store, batch } = randomProblem(new Random(45), shape, place);
    const weights = store.weights.state.view.slice();
    const rows = batch.stateRows.slice();
    const contribution = contributionOf(kernel, store, place.lattice(), batch, logLoss);
    expect(store.weights.state.view).toEqual(weights);
    expect(batch.stateRows).toEqual(rows);
    expect(contribution.version).toBe(store.version);
  });

  it('is current until the next one is made; a detached one stays as it was', () => {
    const place = new KernelPlace(kernel);
    const lattice = place.lattice();
    const shape = {
      labelled: true,
      stateRows: 5,
      edgeFeatures: 2,
      labels: 3,
      sentences: 8,
      support: 'all',
    } as const;
    const { store, batch } = randomProblem(new Random(46), shape, place);
    const first = contributionOf(kernel, store, lattice, batch, logLoss);
    expect(lattice.slots).toBeGreaterThan(3);
    const kept = first.detach();
    const numbers = (each: Contribution) =>
      [each.residual, each.transitionResidual, each.edgeResidual, each.edgeSlots].map(a =>
        Array.from(a),
      );
    const before = numbers(kept);
    expect(before).toEqual(numbers(first));
    expect(() => first.assertCurrent()).not.toThrow();
    const gradient = store.addPlane();
    kernel.accumulate(store, gradient, first, 0, 1);

    // A batch of the same size without edge features is worked out in the very same arrays.
    const others = batch.sentences.map(({ length, stateStarts, stateRows, sentence }) => ({
      length,
      stateStarts,
      stateRows,
      sentence,
      gold: new Int32Array(length),
    }));
    contributionOf(kernel, store, lattice, packMinibatch(others), logLoss);
    expect(numbers(first)).not.toEqual(before);
    expect(first.edgeSlots).not.toEqual(kept.edgeSlots);
    expect(() => first.assertCurrent()).toThrow('used after the next one was created');
    expect(() => first.detach()).toThrow('used after the next one was created');
    expect(() => kept.assertCurrent()).not.toThrow();
    expect(numbers(kept)).toEqual(before);
    expect(kept.detach()).toBe(kept);
    store.weights.edges.view.fill(0);
    const later = contributionOf(kernel, store, lattice, batch, logLoss);
    expect(later.edgeResidual).not.toEqual(kept.edgeResidual);
    expect(numbers(kept)).toEqual(before);
    const again = store.addPlane();
    kernel.accumulate(store, again, kept, 0, 1);
    for (const table of ['state', 'edges', 'pairs'] as const) {
      expect(again[table].view).toEqual(gradient[table].view);
    }
  });

  it('is whole after its memory has grown', () => {
    const place = new KernelPlace(kernel);
    const shape = { labelled: true, stateRows: 5, edgeFeatures: 2, labels: 3, sentences: 4 };
    for (const support of ['all', 'observed'] as const) {
      const { store, batch } = randomProblem(new Random(47), { ...shape, support }, place);
      const contribution = contributionOf(kernel, store, place.lattice(), batch, logLoss);
      const kept = contribution.detach();
      const before = place.memory.buffer.byteLength;
      const planes = [store.addPlane(), store.addPlane()] as const;
      place.memory.allocate(before);
      expect(place.memory.buffer.byteLength).toBeGreaterThan(before);
      for (let s = 0; s < 4; s += 1) {
        // In rounding, too, it makes no difference whether a contribution was detached.
        kernel.accumulate(store, planes[0], contribution, s, -0.3);
        kernel.accumulate(store, planes[1], kept, s, -0.3);
      }
      for (const table of ['state', 'edges', 'pairs'] as const) {
        expect(planes[0][table].view).toEqual(planes[1][table].view);
      }
      expect(planes[0].state.view.some(value => value !== 0)).toBe(true);
      expect(planes[0].state.view.every(Number.isFinite)).toBe(true);
    }
  });

  it('refuses the loss wherever a weight is not a number', { tags: 'slow' }, () => {
    const place = new KernelPlace(kernel);
    const shape = {
      labelled: true,
      sentences: 1,
      stateRows: 3,
      labels: 7,
      longest: 3,
      transitions: true,
      support: 'all',
      edgeFeatures: 0,
    } as const;
    const random = new Random(53);
    const lattice = place.lattice();
    let refused = 0;
    for (let i = 0; i < 20; i += 1) {
      const { store, batch } = randomProblem(random, shape, place);
      const loss = () => contributionOf(kernel, store, lattice, batch, logLoss);
      const places = parameterPlaces(store).filter(({ table, at, supported }) => {
        const row = Math.floor(at / store.width);
        return supported && (table === 'edges' ? batch.tokens > 1 : batch.stateRows.includes(row));
      });
      for (const { table, at } of places) {
        const weight = store.weights[table].view[at]!;
        store.weights[table].view[at] = Number.NaN;
        expect(loss).toThrow(expect.objectContaining({ code: 'numeric' }));
        store.weights[table].view[at] = weight;
        refused += 1;
      }
      expect(loss).not.toThrow();
    }
    expect(refused).toBeGreaterThan(300);
  });

  it('refuses a loss that is not a number', () => {
    const place = new KernelPlace(kernel);
    const shape = {
      labelled: true,
      sentences: 1,
      stateRows: 2,
      labels: 3,
      longest: 5,
      support: 'all',
    } as const;
    const { store, batch } = randomProblem(new Random(48), shape, place);
    store.weights.state.view.fill(Number.NaN, 0, 8);
    expect(() => contributionOf(kernel, store, place.lattice(), batch, logLoss)).toThrow(
      expect.objectContaining({ code: 'numeric' }),
    );
  });
});
