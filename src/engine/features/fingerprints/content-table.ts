import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Region } from '../../kernels/memory/region.js';
import { Fingerprint } from './fingerprint.js';

/**
 * Number of entries past the last one that may be read: features are computed for four tokens at a
 * time.
 */
const slack = 4;

/**
 * Hashes of each atom's value at each token, with margins for positions outside the sentence
 * (`_B-2`, `_B-1`, tokens, `_B+1`, `_B+2`), so that offsets need no bounds check. Token `t` of atom
 * `a` is at `a
 * * stride + margin + t`; lo and hi are 0 if an atom has no value.
 */
export class ContentTable {
  stride = 0;
  readonly margin: number;
  readonly #region: Region;
  readonly #atoms: number;
  readonly #before: readonly Content[];
  readonly #after: readonly Content[];
  #lo = new Int32Array(0);
  #hi = new Int32Array(0);

  /** @param margin largest token offset of any template */
  constructor(memory: LinearMemory, atoms: number, margin: number) {
    this.#region = new Region(memory);
    this.#atoms = atoms;
    this.margin = margin;
    const numbers = Array.from({ length: margin }, (_, i) => i + 1);
    this.#before = numbers.map(i => contentOf(`_B-${i}`));
    this.#after = numbers.map(i => contentOf(`_B+${i}`));
  }

  /** First halves of the hashes; valid until memory grows. */
  get lo(): Int32Array {
    this.#takeViews();
    return this.#lo;
  }

  /** Second halves of the hashes; valid until memory grows. */
  get hi(): Int32Array {
    this.#takeViews();
    return this.#hi;
  }

  get loOffset(): number {
    return this.#region.offset;
  }

  get hiOffset(): number {
    return this.#region.offset + 4 * this.#atoms * this.stride;
  }

  /** Makes room for a sentence, and writes its margins. */
  open(length: number): void {
    const { margin } = this;
    if (length + 2 * margin + slack > this.stride) this.#reserve(2 * (length + margin) + slack);
    for (let atom = 0; atom < this.#atoms; atom += 1) {
      const end = atom * this.stride + margin + length;
      for (let i = 0; i < margin; i += 1) this.#put(end + i, this.#after[i]!);
    }
  }

  #reserve(stride: number): void {
    this.stride = stride;
    this.#region.reserve(8 * this.#atoms * stride);
    this.#lo = new Int32Array(0);
    for (let atom = 0; atom < this.#atoms; atom += 1) {
      const start = atom * stride + this.margin;
      for (let i = 0; i < this.margin; i += 1) this.#put(start - 1 - i, this.#before[i]!);
    }
  }

  #takeViews(): void {
    const { buffer } = this.#region.memory;
    if (this.#lo.buffer === buffer) return;
    const count = this.#atoms * this.stride;
    this.#lo = new Int32Array(buffer, this.loOffset, count);
    this.#hi = new Int32Array(buffer, this.hiOffset, count);
  }

  #put(at: number, content: Content): void {
    this.lo[at] = content.lo;
    this.hi[at] = content.hi;
  }
}

interface Content {
  readonly lo: number;
  readonly hi: number;
}

/** Hashes a text in the same way as atoms hash their values. */
export function contentOf(text: string): Content {
  const hash = new Fingerprint();
  hash.start();
  hash.text(text);
  hash.finish();
  return { lo: hash.lo, hi: hash.hi };
}
