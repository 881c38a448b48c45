import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import type { ParameterBirths } from '../store/parameter-births.js';

/** The births of state rows and labels where the module can see them; only new ones are copied. */
export class SimdBirths {
  readonly #rows: Region;
  readonly #labels: Region;
  #copied: Float64Array | undefined;
  #count = 0;
  /** Changes of births that are in the copy. */
  #followed = 0;

  constructor(memory: LinearMemory) {
    this.#rows = new Region(memory);
    this.#labels = new Region(memory);
  }

  /** Where the births of rows are, a float64 each. */
  get rows(): number {
    return this.#rows.offset;
  }

  /** Where those of the labels are, a float64 for each lane. */
  get labels(): number {
    return this.#labels.offset;
  }

  update(births: ParameterBirths, width: number): void {
    const { state, stateCount, reborn, forgotten } = births;
    const moved = this.#rows.reserve(8 * stateCount);
    if (moved || this.#copied !== state || this.#followed < forgotten) this.#count = 0;
    else if (this.#followed < forgotten + reborn.length) {
      const copy = this.#numbers(this.#rows, this.#count);
      for (let i = this.#followed - forgotten; i < reborn.length; i += 1) {
        const row = reborn[i]!;
        if (row < copy.length) copy[row] = state[row]!;
      }
    }
    this.#followed = forgotten + reborn.length;
    if (this.#count < stateCount) {
      this.#numbers(this.#rows, stateCount).set(
        state.subarray(this.#count, stateCount),
        this.#count,
      );
    }
    this.#copied = state;
    this.#count = stateCount;
    this.#labels.reserve(8 * width);
    this.#numbers(this.#labels, width).set(births.labels.subarray(0, width));
  }

  #numbers({ memory, offset }: Region, count: number): Float64Array {
    return new Float64Array(memory.buffer, offset, count);
  }
}
