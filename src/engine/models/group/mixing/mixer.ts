import type { Reals } from '../../../core/arrays.js';
import { TagstreamError } from '../../../core/errors.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import type { Mixing, Optimizer } from '../../../optimizers/optimizer.js';
import { changesOf } from './patch.js';
import type { MixedPlanes, PlaneNumbers, ShardResult } from './shard-job.js';

/**
 * Iterative parameter mixing. After each pass, the shards' weights are averaged in proportion to their sentences, and
 * all shards start the next pass from the average:
 *
 *     w <- w + sum over shards s of n_s (w_s - w) / N, with n_s sentences in shard s and N in all shards.
 *
 * Sums over sentences in an optimizer (squared gradients, confidences) grow by the contributions of all shards. If the
 * optimizer averages its weights, the result is the average over shards and passes of their averages, weighted by
 * sentences. Sums are computed in float64 in shard order and rounded once, to the parameters' precision. Cost
 * O(changes), or O(all weights) for sgd's penalties. McDonald, Hall and Mann (2010).
 */
export class Mixer {
  readonly #planes: () => MixedPlanes;
  readonly #shapeNow: () => PlaneShape;
  /** Shape of the sums below. */
  #shape: PlaneShape;
  /** Weighted sums of differences, zero between passes. */
  #moves: readonly Float64Array[];
  /** Sums of averages weighted by sentences; `#averaged` counts the sentences. */
  #averages: readonly Float64Array[] | undefined;
  #averaged = 0;

  /**
   * @param planes function that returns the mixed weights and sums to update; views become invalid
   * @param shape function that returns their current layout
   */
  constructor(planes: () => MixedPlanes, shape: () => PlaneShape) {
    this.#planes = planes;
    this.#shapeNow = shape;
    this.#shape = shape();
    this.#moves = movesOf(planes());
  }

  /** Adapts the sums to the planes' current layout: a round of a stream may have added labels and features. */
  fit(): void {
    const shape = this.#shapeNow();
    if (isSameShape(shape, this.#shape)) return;
    this.#moves = movesOf(this.#planes());
    if (this.#averages !== undefined) {
      this.#averages = laidOut(this.#averages, this.#shape, shape);
    }
    this.#shape = shape;
  }

  /** Forgets the averages of removed features, whose rows and blocks are reused. */
  forget(stateRows: Uint32Array, blocks: Uint32Array): void {
    if (this.#averages === undefined) return;
    const [state, edges] = this.#averages;
    const { width } = this.#shape;
    for (const row of stateRows) state!.fill(0, row * width, (row + 1) * width);
    for (const block of blocks) edges!.fill(0, block * width ** 2, (block + 1) * width ** 2);
  }

  /** Sums of averages and their number of sentences; undefined if there are none. */
  get averages():
    | { readonly sums: readonly Float64Array[]; readonly sentences: number }
    | undefined {
    if (this.#averages === undefined) return undefined;
    return { sums: this.#averages, sentences: this.#averaged };
  }

  /** Restores the averages of an earlier run. */
  restore(sums: readonly Float64Array[], sentences: number): void {
    this.#averages = sums.map(table => table.slice());
    this.#averaged = sentences;
  }

  /** Updates the planes with the results of a pass over all shards, in shard order. */
  mix(results: readonly ShardResult[]): void {
    const planes = this.#planes();
    const all = results.reduce((sum, { sentences }) => sum + sentences, 0);
    this.#average(results, planes[0]!);
    for (const [p, plane] of planes.entries()) {
      for (const result of results) {
        const weight = p === 0 ? result.sentences / all : 1;
        this.#note(result.planes[p]!, plane, weight);
      }
      for (const [t, table] of plane.entries()) move(table, this.#moves[t]!);
    }
  }

  /** Adds the averages of a pass, given as differences from the weights at its start. */
  #average(results: readonly ShardResult[], start: PlaneNumbers): void {
    const sentences = results.reduce((sum, { averaged }) => sum + averaged, 0);
    if (sentences === 0) return;
    this.#averages ??= start.map(({ length }) => new Float64Array(length));
    this.#averaged += sentences;
    for (const [t, table] of start.entries()) add(this.#averages[t]!, table, sentences);
    for (const { average, averaged } of results) {
      if (average === undefined) continue;
      for (const [t, { places, values }] of changesOf(average, start).tables.entries()) {
        const sums = this.#averages[t]!;
        const table = start[t]!;
        for (let i = 0; i < places.length; i += 1) {
          const at = places[i]!;
          sums[at]! += averaged * (values[i]! - table[at]!);
        }
      }
    }
  }

  /** Adds a shard's change to a plane. */
  #note(patch: Uint8Array, plane: PlaneNumbers, weight: number): void {
    const { factor, tables } = changesOf(patch, plane);
    for (const [t, { places, values }] of tables.entries()) {
      const table = plane[t]!;
      const moves = this.#moves[t]!;
      if (factor === 1) {
        for (let i = 0; i < places.length; i += 1) {
          const at = places[i]!;
          moves[at]! += weight * (values[i]! - table[at]!);
        }
        continue;
      }
      let next = 0;
      for (let i = 0; i < table.length; i += 1) {
        const isPlace = next < places.length && places[next] === i;
        const value = isPlace ? values[next]! : factor * table[i]!;
        if (isPlace) next += 1;
        if (value !== table[i]) moves[i]! += weight * (value - table[i]!);
      }
    }
  }
}

function movesOf([weights]: MixedPlanes): readonly Float64Array[] {
  return weights!.map(({ length }) => new Float64Array(length));
}

function add(sums: Float64Array, table: Reals, weight: number): void {
  for (let i = 0; i < sums.length; i += 1) if (table[i] !== 0) sums[i]! += weight * table[i]!;
}

function move(table: Reals, moves: Float64Array): void {
  for (let i = 0; i < table.length; i += 1) {
    const by = moves[i]!;
    if (by === 0) continue;
    table[i]! += by;
    moves[i] = 0;
  }
}

/** The layout of a plane's numbers; see `planeNumbers`. */
interface PlaneShape {
  readonly stateRows: number;
  /** Number of lanes in a row, and of rows in a block. */
  readonly width: number;
  readonly blocks: number;
  readonly pairs: number;
}

/** Returns the current shape of a store's planes. */
export function planeShapeOf(store: ParameterStore): PlaneShape {
  const { stateRows, edgeRows, width, hasEdgeBlocks, pairs } = store;
  return { stateRows, width, blocks: hasEdgeBlocks ? edgeRows : 1, pairs: pairs.size };
}

/** Whether two shapes are equal, so that nothing has grown. */
function isSameShape(a: PlaneShape, b: PlaneShape): boolean {
  const names = ['stateRows', 'width', 'blocks', 'pairs'] as const;
  return names.every(name => a[name] === b[name]);
}

/**
 * Converts numbers to a shape with at least the same number of rows, lanes, blocks and pairs; new
 * entries are 0.
 */
function laidOut(
  [state, edges, pairs]: readonly Float64Array[],
  from: PlaneShape,
  to: PlaneShape,
): Float64Array[] {
  const { width } = from;
  const rows = (
    table: Float64Array,
    count: number,
    size: number,
    target: (row: number) => number,
  ) => {
    const laid = new Float64Array(size);
    for (let row = 0; row < count; row += 1) {
      laid.set(table.subarray(row * width, (row + 1) * width), target(row) * to.width);
    }
    return laid;
  };
  const grown = new Float64Array(to.pairs);
  grown.set(pairs!);
  return [
    rows(state!, from.stateRows, to.stateRows * to.width, row => row),
    rows(edges!, from.blocks * width, to.blocks * to.width ** 2, row => {
      const block = Math.floor(row / width);
      return block * to.width + (row - block * width);
    }),
    grown,
  ];
}

/**
 * Returns an optimizer's support for parameter mixing.
 *
 * @throws TagstreamError `config` if it has none
 */
export function mixingOf(optimizer: Optimizer): Mixing {
  if (optimizer.mixing === undefined) {
    const problem = `the weights of the optimizer ${optimizer.name} cannot be mixed: its state is more than the weights`;
    throw new TagstreamError('config', problem, {
      fix: 'use sgd, sgd-l1, adagrad, perceptron, passive-aggressive or arow, or leave train.cluster out',
    });
  }
  if (optimizer.rightInARow !== undefined) {
    const problem = `the optimizer ${optimizer.name} cannot count the mistakes of a pass that is split over shards`;
    throw new TagstreamError('config', problem, { fix: 'leave out untilSeparated' });
  }
  return optimizer.mixing();
}
