import { type State, stateArray } from '../../core/training/state.js';
import type { ParameterStore } from './parameter-store.js';

/** Maximum number of reused rows remembered for followers. */
const followable = 4096;

const kinds = ['state', 'edges', 'pairs', 'labels'] as const;

/**
 * The creation time, by some clock, of each row, block, pair and label, so that penalties and
 * averages can start with the parameter instead of with training.
 */
export class CreationTimes {
  state: Float64Array = new Float64Array(64);
  edges: Float64Array = new Float64Array(64);
  pairs: Float64Array = new Float64Array(64);
  labels: Float64Array = new Float64Array(64);
  /** The latest creation time. */
  latest = 0;
  /** Reused state rows, in order, for consumers that keep copies of the times. */
  reused: number[] = [];
  /**
   * Number of earlier changes dropped from `reused`: a copy that lacks one is recreated.
   */
  forgotten = 0;
  #seen = { state: 0, edges: 0, pairs: 0, labels: 0 };

  /**
   * Records `clock` as the creation time of everything added to the store since the last call.
   */
  note(store: ParameterStore, clock: number): void {
    if (store.reused.state.length + store.reused.edges.length > 0) this.#noteReused(store, clock);
    const seen = this.#seen;
    if (this.#hasNews(store)) this.latest = Math.max(this.latest, clock);
    this.state = noted(this.state, seen.state, store.stateRows, clock);
    this.edges = noted(this.edges, seen.edges, store.edgeRows, clock);
    this.pairs = noted(this.pairs, seen.pairs, store.pairs.size, clock);
    this.labels = noted(this.labels, seen.labels, store.labels, clock);
    seen.state = store.stateRows;
    seen.edges = store.edgeRows;
    seen.pairs = store.pairs.size;
    seen.labels = store.labels;
  }

  /** Resets all times to 0; call when the clock restarts at 0. */
  reset(): void {
    for (const kind of kinds) this[kind].fill(0);
    this.latest = 0;
    this.forgotten += this.reused.length + 1;
    this.reused = [];
  }

  /** Updates recorded creation times of rows that now belong to other features. */
  #noteReused({ reused }: ParameterStore, clock: number): void {
    if (this.reused.length >= followable) {
      this.forgotten += this.reused.length;
      this.reused = [];
    }
    for (const row of reused.state) {
      this.state[row] = clock;
      this.reused.push(row);
    }
    for (const block of reused.edges) this.edges[block] = clock;
    this.latest = Math.max(this.latest, clock);
    reused.state = [];
    reused.edges = [];
  }

  #hasNews(store: ParameterStore): boolean {
    const seen = this.#seen;
    const rows = store.stateRows > seen.state || store.edgeRows > seen.edges;
    return rows || store.pairs.size > seen.pairs || store.labels > seen.labels;
  }

  /** Number of state rows with a recorded creation time. */
  get stateCount(): number {
    return this.#seen.state;
  }

  /** Returns the creation times so far, as named arrays for a checkpoint. */
  save(): Record<string, Float64Array> {
    const arrays: Record<string, Float64Array> = {};
    for (const kind of kinds) arrays[`births.${kind}`] = this[kind].subarray(0, this.#seen[kind]);
    return arrays;
  }

  /** @throws TagstreamError `checkpoint` if a kind is missing */
  restore(state: State): void {
    this.latest = 0;
    for (const kind of kinds) {
      const saved = stateArray(state, `births.${kind}`, [Float64Array]);
      const array = new Float64Array(Math.max(64, saved.length));
      array.set(saved);
      this[kind] = array;
      this.#seen[kind] = saved.length;
      for (const createdAt of saved) this.latest = Math.max(this.latest, createdAt);
    }
  }
}

function noted(creationTimes: Float64Array, from: number, to: number, clock: number): Float64Array {
  let array = creationTimes;
  if (to > array.length) {
    array = new Float64Array(Math.max(to, array.length * 2));
    array.set(creationTimes);
  }
  if (to > from) array.fill(clock, from, to);
  return array;
}
