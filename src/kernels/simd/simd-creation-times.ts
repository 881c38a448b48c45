import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import type { CreationTimes } from '../store/creation-times.js';

/** The creation times of state rows and labels where the module can see them; only new ones are copied. */
export class SimdCreationTimes {
  readonly #rows: Region;
  readonly #labels: Region;
  #copied: Float64Array | undefined;
  #count = 0;
  /** Changes of creation times that are in the copy. */
  #followed = 0;

  constructor(memory: LinearMemory) {
    this.#rows = new Region(memory);
    this.#labels = new Region(memory);
  }

  /** Where the creation times of rows are, a float64 each. */
  get rows(): number {
    return this.#rows.offset;
  }

  /** Where those of the labels are, a float64 for each lane. */
  get labels(): number {
    return this.#labels.offset;
  }

  update(creationTimes: CreationTimes, width: number): void {
    const { state, stateCount, reused, forgotten } = creationTimes;
    const moved = this.#rows.reserve(8 * stateCount);
    if (moved || this.#copied !== state || this.#followed < forgotten) this.#count = 0;
    else if (this.#followed < forgotten + reused.length) {
      const copy = this.#numbers(this.#rows, this.#count);
      for (let i = this.#followed - forgotten; i < reused.length; i += 1) {
        const row = reused[i]!;
        if (row < copy.length) copy[row] = state[row]!;
      }
    }
    this.#followed = forgotten + reused.length;
    if (this.#count < stateCount) {
      this.#numbers(this.#rows, stateCount).set(
        state.subarray(this.#count, stateCount),
        this.#count,
      );
    }
    this.#copied = state;
    this.#count = stateCount;
    this.#labels.reserve(8 * width);
    this.#numbers(this.#labels, width).set(creationTimes.labels.subarray(0, width));
  }

  #numbers({ memory, offset }: Region, count: number): Float64Array {
    return new Float64Array(memory.buffer, offset, count);
  }
}
