import { describe, expect, it } from 'vitest';
import type { Minibatch } from '../../../../src/engine/core/minibatch/minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Plane } from '../../../../src/engine/kernels/memory/plane.js';
import { CreationTimes } from '../../../../src/engine/kernels/store/creation-times.js';
import type { ParameterStore } from '../../../../src/engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../../../src/engine/losses/contribution-of.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { KernelPlace } from '../../../contracts/oracle/kernels/kernel-place.js';
import { kernelRows } from '../../../contracts/oracle/kernels/kernels.js';
import { type ProblemShape, randomProblem } from '../../../contracts/oracle/problems/problem.js';
import { everyNth } from '../../../house/long-forms.js';

type Table = keyof Plane;

/** One parameter: where it is, and the latest creation time of its row, block, pair and labels. */
interface Weight {
  readonly table: Table;
  readonly at: number;
  readonly createdAt: number;
}

/** Every weight of every feature that acts in sentence `s`, found from the sentence alone. */
function activeWeights(
  store: ParameterStore,
  creationTimes: CreationTimes,
  batch: Minibatch,
  s: number,
): Weight[] {
  const sentence = batch.sentences[s]!;
  const { labels, width, matrixSize } = store;
  const weights = new Map<string, Weight>();
  const add = (table: Table, at: number, ...createdAt: number[]) =>
    weights.set(`${table} ${at}`, { table, at, createdAt: Math.max(...createdAt) });
  for (const row of sentence.stateRows) {
    for (let y = 0; y < labels; y += 1) {
      add('state', row * width + y, creationTimes.state[row]!, creationTimes.labels[y]!);
    }
  }
  const edgeFeatures = sentence.edgeRows?.slice(sentence.edgeStarts![1]!) ?? [];
  const blocks = store.layout.transitions && sentence.length > 1 ? [0] : [];
  if (store.layout.support === 'all') blocks.push(...edgeFeatures);
  for (const feature of blocks) {
    for (let from = 0; from < labels; from += 1) {
      for (let to = 0; to < labels; to += 1) {
        const at = feature * matrixSize + from * width + to;
        add(
          'edges',
          at,
          creationTimes.edges[feature]!,
          creationTimes.labels[from]!,
          creationTimes.labels[to]!,
        );
      }
    }
  }
  if (store.layout.support === 'observed') {
    for (const feature of edgeFeatures) {
      const { heads, next } = store.pairs;
      for (let slot = heads[feature]!; slot >= 0; slot = next[slot]!) {
        add('pairs', slot, creationTimes.pairs[slot]!);
      }
    }
  }
  return [...weights.values()];
}

/** The formula, one weight after the other: w towards 0 by u + q or u - q, never past it; q follows. */
function penalize(w: Plane, q: Plane, total: number, { table, at, createdAt }: Weight): void {
  const weights = w[table].view;
  const received = q[table].view;
  const u = total - createdAt;
  const z = weights[at]!;
  if (z > 0) weights[at] = Math.max(0, z - (u + received[at]!));
  else if (z < 0) weights[at] = Math.min(0, z + (u - received[at]!));
  received[at]! += weights[at]! - z;
}

function copied(store: ParameterStore, source: Plane): Plane {
  const plane = store.addPlane();
  for (const table of ['state', 'edges', 'pairs'] as const) {
    plane[table].view.set(source[table].view);
  }
  return plane;
}

function largestDifference(a: Plane, b: Plane): number {
  return Math.max(
    ...(['state', 'edges', 'pairs'] as const).map(table =>
      difference(a[table].view, b[table].view),
    ),
  );
}

const families: [string, number, Partial<ProblemShape>][] = [
  ['of every kind', 60, {}],
  ['with edge features', 30, { edgeFeatures: 3, support: 'all' }],
  ['with pairs of edge features', 30, { edgeFeatures: 3, support: 'observed' }],
  ['of one token', 20, { longest: 1, edgeFeatures: 2 }],
];

describe.each(kernelRows)(
  'cumulative penalty of the $name kernel',
  ({ kernel, tolerance, rounding }) => {
    for (const { rows, tags } of everyNth(3, families)) {
      it.each(rows)('is that of the formula weight by weight: %s', { tags }, (_, count, shape) => {
        const random = new Random(60);
        const place = new KernelPlace(kernel);
        let charged = 0;
        let cleared = 0;
        for (let i = 0; i < count; i += 1) {
          const { store, batch } = randomProblem(
            random,
            { ...shape, scale: 1, labelled: true },
            place,
          );
          const creationTimes = new CreationTimes();
          creationTimes.note(store, 0);
          // Parameters of different ages, or all of one: any creation time is as good as another to the formula.
          if (random.below(2) === 0) {
            creationTimes.latest = 0.25;
            for (const kind of ['state', 'edges', 'pairs', 'labels'] as const) {
              creationTimes[kind] = creationTimes[kind].map(
                () => [0, 0, 0.1, 0.25][random.below(4)]!,
              );
            }
          }
          const received = store.addPlane();
          const expected = copied(store, store.weights);
          const expectedReceived = store.addPlane();
          let total = 0.25;
          const lattice = place.lattice();
          for (let update = 0; update < 6; update += 1) {
            const contribution = contributionOf(kernel, store, lattice, batch, logLoss);
            for (let s = 0; s < batch.sentences.length; s += 1) {
              kernel.accumulate(store, store.weights, contribution, s, -0.2);
              kernel.accumulate(store, expected, contribution, s, -0.2);
              total += 0.2 * random.uniform();
              const penalty = { received, total, creationTimes };
              kernel.applyCumulativePenalty(store, penalty, contribution, s);
              for (const weight of activeWeights(store, creationTimes, batch, s)) {
                const before = expected[weight.table].view[weight.at]!;
                penalize(expected, expectedReceived, total, weight);
                const after = expected[weight.table].view[weight.at]!;
                if (after !== before) charged += 1;
                if (after === 0 && before !== 0) cleared += 1;
              }
              expect(largestDifference(store.weights, expected)).toBeLessThanOrEqual(tolerance);
              expect(largestDifference(received, expectedReceived)).toBeLessThanOrEqual(tolerance);

              const once = copied(store, store.weights);
              const receivedOnce = copied(store, received);
              kernel.applyCumulativePenalty(store, penalty, contribution, s);
              expect(largestDifference(store.weights, once)).toBeLessThan(rounding);
              expect(largestDifference(received, receivedOnce)).toBeLessThan(rounding);
            }
          }
        }
        expect(charged).toBeGreaterThan(100);
        expect(cleared).toBeGreaterThan(20);
      });
    }

    it('charges a weight that is left alone as much as one that is charged each time', () => {
      const shape = {
        labels: 2,
        labelCapacity: 2,
        stateRows: 1,
        edgeFeatures: 0,
        transitions: false,
        support: 'all',
        sentences: 1,
        scale: 1,
        labelled: true,
      } as const;
      const { store } = randomProblem(new Random(61), shape, new KernelPlace(kernel));
      const creationTimes = new CreationTimes();
      creationTimes.note(store, 0);
      const received = store.addPlane();
      store.weights.state.view.set([5, -5]);
      const batch = {
        sentences: [{ length: 1 }],
        sentenceStarts: Uint32Array.of(0, 1),
        stateStarts: Uint32Array.of(0, 1),
        stateRows: Uint32Array.of(0),
      };
      const contribution = { minibatch: batch } as unknown as Parameters<
        typeof kernel.applyCumulativePenalty
      >[2];
      for (const total of [0.5, 1.25, 3]) {
        kernel.applyCumulativePenalty(store, { received, total, creationTimes }, contribution, 0);
        expect(Array.from(store.weights.state.view)).toEqual([5 - total, total - 5, 0, 0]);
        expect(Array.from(received.state.view)).toEqual([-total, total, 0, 0]);
      }
      // A weight is stopped at zero, has then received less than it might have, and stays there.
      for (const total of [7, 9]) {
        kernel.applyCumulativePenalty(store, { received, total, creationTimes }, contribution, 0);
        expect(Array.from(store.weights.state.view)).toEqual([0, 0, 0, 0]);
        expect(Array.from(received.state.view)).toEqual([-5, 5, 0, 0]);
      }
      // Moved away from zero by less than what was not charged, it goes back at once.
      store.weights.state.view.set([3.5, -4.5]);
      kernel.applyCumulativePenalty(store, { received, total: 9, creationTimes }, contribution, 0);
      expect(Array.from(store.weights.state.view)).toEqual([0, -0.5, 0, 0]);
      expect(Array.from(received.state.view)).toEqual([-8.5, 9, 0, 0]);
    });

    it('asks nothing of a feature or label for what came before it was created', () => {
      const shape = {
        labels: 2,
        labelCapacity: 4,
        stateRows: 1,
        edgeFeatures: 0,
        transitions: true,
        support: 'all',
        sentences: 1,
        scale: 1,
        labelled: true,
      } as const;
      const { store } = randomProblem(new Random(62), shape, new KernelPlace(kernel));
      const creationTimes = new CreationTimes();
      creationTimes.note(store, 0);
      store.reserve({ labels: 2, stateRows: 2, edgeRows: 1 });
      creationTimes.note(store, 4);
      store.reserve({ labels: 3, stateRows: 2, edgeRows: 1 });
      creationTimes.note(store, 6);
      store.weights.state.view.set([9, 9, 9, 0, 9, -9, 9, 0]);
      store.weights.edges.view.set([9, 9, 9, 0, 9, 9, 9, 0, 9, 9, -9, 0]);
      const received = store.addPlane();
      const minibatch = {
        sentences: [{ length: 2 }],
        sentenceStarts: Uint32Array.of(0, 2),
        stateStarts: Uint32Array.of(0, 1, 2),
        stateRows: Uint32Array.of(0, 1),
      };
      const contribution = { minibatch } as unknown as Parameters<
        typeof kernel.applyCumulativePenalty
      >[2];
      kernel.applyCumulativePenalty(store, { received, total: 7, creationTimes }, contribution, 0);
      expect(Array.from(store.weights.state.view.subarray(0, 8))).toEqual([
        2, 2, 8, 0, 6, -6, 8, 0,
      ]);
      expect(Array.from(store.weights.edges.view.subarray(0, 12))).toEqual([
        2, 2, 8, 0, 2, 2, 8, 0, 8, 8, -8, 0,
      ]);
    });
  },
);
