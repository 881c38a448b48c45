import type { Reals } from '../../core/arrays.js';
import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import { SimdModule } from '../simd/simd-exports.js';

/** The rows of a forest's leaves. */
export interface LeafRows {
  /** `[leaves x width]` */
  readonly rows: Reals;
  /** `[width]` what is added to whatever leaves there are; a multiple of eight labels. */
  readonly base: Float64Array;
  /** Most leaves that are added up at once. */
  readonly most: number;
}

const known = new WeakMap<LinearMemory, LeafSums>();

/** Adds up rows of leaves in one memory, those of one forest at a time, so that the next takes the same room. */
export class LeafSums {
  readonly #memory: LinearMemory;
  readonly #rows: Region;
  readonly #numbers: Region;
  readonly #leaves: Region;
  #module!: SimdModule;
  #placed: LeafRows | undefined;

  private constructor(memory: LinearMemory) {
    this.#memory = memory;
    this.#rows = new Region(memory);
    this.#numbers = new Region(memory);
    this.#leaves = new Region(memory);
  }

  static of(memory: LinearMemory): LeafSums {
    const sums = known.get(memory) ?? new LeafSums(memory);
    known.set(memory, sums);
    return sums;
  }

  /** Copies the rows into the memory, unless they are there; numbers of leaves and sums as views, until memory grows. */
  open(given: LeafRows): { readonly leaves: Uint32Array; readonly sums: Float64Array } {
    const { rows, base, most } = given;
    if (this.#placed !== given) {
      this.#placed = given;
      this.#rows.write(rows);
      this.#numbers.reserve(2 * base.byteLength);
      this.#numbers.write(base);
      this.#leaves.reserve(4 * most);
      this.#module = new SimdModule(this.#memory, rows instanceof Float32Array ? 'f32' : 'f64');
    }
    const { buffer } = this.#memory;
    const sums = this.#numbers.offset + base.byteLength;
    return {
      leaves: this.#leaves.words(most),
      sums: new Float64Array(buffer, sums, base.length),
    };
  }

  /** Adds up the base and the rows of the first `count` leaves of the view, in their order. */
  add(count: number): void {
    const { base } = this.#placed!;
    const { offset } = this.#numbers;
    const sums = offset + base.byteLength;
    const rows = this.#rows.offset;
    this.#module.run.addLeafRows(sums, offset, this.#leaves.offset, count, rows, base.length);
  }
}
