import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import type { Support } from '../store/support.js';

/** Which labels state features may have weights for, as bits where the module can see them; it follows changes. */
export class SupportBits {
  readonly #region: Region;
  #support: Support | undefined;
  #states = 0;
  #rows = 0;
  #width = 0;

  constructor(memory: LinearMemory) {
    this.#region = new Region(memory);
  }

  /** Words of each feature, a bit a label, the lowest first. */
  get words(): number {
    return Math.ceil(this.#width / 32);
  }

  /** Brings the bits up to date; returns their address. Cost: the changes since the last call. */
  of(support: Support, rows: number, width: number): number {
    const isKnown = this.#support === support && support.follower === this;
    const isAnother = !isKnown || this.#states !== support.states || this.#width !== width;
    this.#width = width;
    const moved = this.#region.reserve(4 * this.words * rows);
    if (isAnother || moved) this.#copy(support, rows);
    else if (rows > this.#rows) this.#clear(this.#rows, rows);
    this.#rows = rows;
    const { added } = support;
    if (added.length > 0) {
      const words = this.#region.words(this.words * rows);
      for (const place of added) this.#set(words, place);
      added.length = 0;
    }
    return this.#region.offset;
  }

  #copy(support: Support, rows: number): void {
    this.#clear(0, rows);
    const words = this.#region.words(this.words * rows);
    const { state } = support;
    const end = Math.min(state.length, rows * this.#width);
    for (let place = state.indexOf(1); place >= 0 && place < end; ) {
      this.#set(words, place);
      place = state.indexOf(1, place + 1);
    }
    this.#support = support;
    this.#states = support.states;
    support.follower = this;
    support.added.length = 0;
  }

  #clear(from: number, to: number): void {
    this.#region.words(this.words * to).fill(0, this.words * from);
  }

  #set(words: Uint32Array, place: number): void {
    const row = Math.floor(place / this.#width);
    const label = place - row * this.#width;
    words[row * this.words + (label >>> 5)]! |= 1 << (label & 31);
  }
}
