import { Fingerprint } from './fingerprint.js';

/**
 * Hashes of what each atom finds at each token, with a margin on both sides that holds the values
 * outside the sentence (`_B-2`, `_B-1`, tokens, `_B+1`, `_B+2`), so that looking around needs no check.
 * Token `t` of atom `a` is at `a * stride + margin + t`.
 */
export class ContentTable {
  lo = new Int32Array(0);
  hi = new Int32Array(0);
  /** 1 where the atom finds something. */
  present = new Uint8Array(0);
  stride = 0;
  readonly margin: number;
  readonly #atoms: number;
  readonly #before: readonly Content[];
  readonly #after: readonly Content[];

  /** @param margin furthest token that any template looks at */
  constructor(atoms: number, margin: number) {
    this.#atoms = atoms;
    this.margin = margin;
    const numbers = Array.from({ length: margin }, (_, i) => i + 1);
    this.#before = numbers.map(i => contentOf(`_B-${i}`));
    this.#after = numbers.map(i => contentOf(`_B+${i}`));
  }

  /** Makes room for a sentence and writes its margins. */
  open(length: number): void {
    const { margin } = this;
    if (length + 2 * margin > this.stride) this.#reserve(2 * length + 2 * margin);
    for (let atom = 0; atom < this.#atoms; atom += 1) {
      const end = atom * this.stride + margin + length;
      for (let i = 0; i < margin; i += 1) this.#put(end + i, this.#after[i]!);
    }
  }

  #reserve(stride: number): void {
    this.stride = stride;
    this.lo = new Int32Array(this.#atoms * stride);
    this.hi = new Int32Array(this.#atoms * stride);
    this.present = new Uint8Array(this.#atoms * stride);
    for (let atom = 0; atom < this.#atoms; atom += 1) {
      const start = atom * stride + this.margin;
      for (let i = 0; i < this.margin; i += 1) this.#put(start - 1 - i, this.#before[i]!);
    }
  }

  #put(at: number, content: Content): void {
    this.lo[at] = content.lo;
    this.hi[at] = content.hi;
    this.present[at] = 1;
  }
}

interface Content {
  readonly lo: number;
  readonly hi: number;
}

/** Hash of a text as atoms hash what they find. */
export function contentOf(text: string): Content {
  const hash = new Fingerprint();
  hash.start();
  hash.text(text);
  hash.finish();
  return { lo: hash.lo, hi: hash.hi };
}
