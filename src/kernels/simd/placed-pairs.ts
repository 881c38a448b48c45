import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import type { StatePairs } from '../store/state-pairs.js';

/** The pairs of state features and labels where the module can see them. */
export class PlacedPairs {
  readonly #starts: Region;
  readonly #labels: Region;
  #pairs: Uint32Array | undefined;

  constructor(memory: LinearMemory) {
    this.#starts = new Region(memory);
    this.#labels = new Region(memory);
  }

  /** Addresses of the starts and of the labels; copied unless they are there already. */
  of({ starts, labels }: StatePairs): readonly [starts: number, labels: number] {
    if (this.#pairs !== starts) {
      this.#pairs = starts;
      this.#starts.write(starts);
      this.#labels.reserve(labels.byteLength);
      new Uint16Array(this.#labels.memory.buffer, this.#labels.offset, labels.length).set(labels);
    }
    return [this.#starts.offset, this.#labels.offset];
  }
}
