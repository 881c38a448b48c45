import type { LinearMemory } from '../memory/linear-memory.js';
import { Region } from '../memory/region.js';
import type { PairChains } from '../store/pair-chains.js';

/**
 * The label-pair chains of all edge features, one after the other, for kernels that take addresses. Built, at
 * cost O(pairs), once the pairs have not grown between two calls.
 */
export class PackedChains {
  readonly #pairs: Region;
  readonly #slots: Region;
  #starts = new Uint32Array(0);
  #owner: PairChains | undefined;
  /** Numbers of pairs: at the last call, and packed. */
  #size = -1;
  #packed = -1;

  constructor(memory: LinearMemory) {
    this.#pairs = new Region(memory);
    this.#slots = new Region(memory);
  }

  /** Address of the pairs: previous label + 65536 * label, one word each. */
  get pairs(): number {
    return this.#pairs.offset;
  }

  /** Address of the pairs' slots, one word each. */
  get slots(): number {
    return this.#slots.offset;
  }

  /** Feature f has the pairs `[starts[f], starts[f + 1])`. */
  get starts(): Uint32Array {
    return this.#starts;
  }

  /** Returns whether the chains are packed, after packing them if they have stopped growing. */
  has(chains: PairChains): boolean {
    const isSame = chains === this.#owner && chains.size === this.#size;
    this.#owner = chains;
    this.#size = chains.size;
    if (!isSame) this.#packed = -1;
    else if (this.#packed !== chains.size) this.#pack(chains);
    return isSame;
  }

  #pack({ heads, from, to, next, size }: PairChains): void {
    this.#packed = size;
    this.#starts = new Uint32Array(heads.length + 1);
    this.#pairs.reserve(4 * size);
    this.#slots.reserve(4 * size);
    const pairs = this.#pairs.words(size);
    const slots = this.#slots.words(size);
    let n = 0;
    for (let feature = 0; feature < heads.length; feature += 1) {
      for (let slot = heads[feature]!; slot >= 0; slot = next[slot]!) {
        pairs[n] = from[slot]! + 65536 * to[slot]!;
        slots[n] = slot;
        n += 1;
      }
      this.#starts[feature + 1] = n;
    }
  }
}
