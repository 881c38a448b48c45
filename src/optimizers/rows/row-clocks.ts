import { stateArray } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';

/** For each row of a table the number of sentences that it has been brought up to date with. */
export class RowClocks {
  sentences: Float64Array = new Float64Array(64);

  /** Makes room for `rows` rows; new ones have 0, which is right as long as their weights are 0. */
  reserve(rows: number): void {
    if (rows <= this.sentences.length) return;
    const sentences = new Float64Array(Math.max(rows, 2 * this.sentences.length));
    sentences.set(this.sentences);
    this.sentences = sentences;
  }

  /** The clocks of the first `rows` rows, for a checkpoint. */
  save(rows: number): Float64Array {
    this.reserve(rows);
    return this.sentences.subarray(0, rows);
  }

  /** @throws TagstreamError `checkpoint` if there is no array of that name */
  restore(state: State, name: string): void {
    const saved = stateArray(state, name, [Float64Array]);
    this.sentences = new Float64Array(Math.max(64, saved.length));
    this.sentences.set(saved);
  }
}
