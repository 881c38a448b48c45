import type { Contribution } from '../../core/training/contribution.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import {
  numberIn,
  placedTables,
  placesOfTable,
  tableOf,
  type WeightChange,
} from '../../kernels/voting/weight-change.js';
import { CoalescedGradient } from '../rows/coalesced-gradient.js';

/** Finds out what an update changes, by looking at the weights before and after it. */
export class WeightRecorder {
  readonly #gradient = new CoalescedGradient();
  #places = new Uint32Array(1024);
  #values = new Float64Array(1024);
  #count = 0;

  /** Keeps the weights that sentence `s` may change. Cost O(active features * L + L^2). */
  before(store: ParameterStore, contribution: Contribution, s: number): void {
    this.#gradient.gather(store, contribution, s);
    this.#count = 0;
    for (const [number, table] of placedTables.entries()) {
      const { rows, count, size } = this.#gradient[table];
      const view = store.weights[table].view;
      this.#reserve(this.#count + count * size);
      for (const row of rows.slice(0, count).sort()) {
        for (let at = row * size; at < (row + 1) * size; at += 1) {
          this.#places[this.#count] = number * placesOfTable + at;
          this.#values[this.#count] = view[at]!;
          this.#count += 1;
        }
      }
    }
  }

  /** Those of them that are others now, as they were before; places ascend. */
  after({ weights, precision }: ParameterStore): WeightChange {
    const views = placedTables.map(table => weights[table].view);
    let changed = 0;
    for (let i = 0; i < this.#count; i += 1) {
      const place = this.#places[i]!;
      if (views[tableOf(place)]![numberIn(place)] === this.#values[i]) continue;
      this.#places[changed] = place;
      this.#values[changed] = this.#values[i]!;
      changed += 1;
    }
    const kept = this.#values.subarray(0, changed);
    return {
      places: this.#places.slice(0, changed),
      values: precision === 'float64' ? kept.slice() : Float32Array.from(kept),
    };
  }

  #reserve(count: number): void {
    if (count <= this.#places.length) return;
    const places = new Uint32Array(2 * count);
    const values = new Float64Array(2 * count);
    places.set(this.#places);
    values.set(this.#values);
    this.#places = places;
    this.#values = values;
  }
}
