import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { Region } from '../../kernels/memory/region.js';

/**
 * Number of tokens past the last one that may be written: features are computed for four tokens at
 * a time.
 */
const slack = 4;

/**
 * Fingerprints of a sentence's features, with a place for each template at each token: word
 * `2 (t * templates + k)` is lo, the next word hi. Both are 0 for an inactive feature.
 */
export class FingerprintList {
  readonly #region: Region;
  length = 0;
  templates = 0;

  constructor(memory: LinearMemory) {
    this.#region = new Region(memory);
  }

  get offset(): number {
    return this.#region.offset;
  }

  get memory(): LinearMemory {
    return this.#region.memory;
  }

  /** Number of places. */
  get places(): number {
    return this.length * this.templates;
  }

  /** Makes room for a sentence, whose entries must then be written. */
  open(length: number, templates: number): void {
    this.length = length;
    this.templates = templates;
    this.#region.reserve((length + slack) * templates * 8);
  }

  /** Returns all words; valid until memory grows. */
  words(): Uint32Array {
    return this.#region.words(this.places * 2);
  }
}
