import { AllowedMarginals } from '../../inference/marginals/allowed-marginals.js';
import { ConditionalMarginals } from '../../inference/marginals/conditional-marginals.js';
import type { Lattice } from '../../kernels/lattice.js';

/** Scratch memory that losses reuse, separate from the lattice; grows with the longest sentence. */
export class LossScratch {
  readonly allowed: AllowedMarginals;
  readonly conditional: ConditionalMarginals;
  readonly #kept: Float64Array[] = [];
  #taken = 0;
  #costs = new Float64Array(0);
  #marginals = new Float64Array(0);
  #predicted = new Int32Array(0);
  #path = new Int32Array(0);
  #otherPath = new Int32Array(0);

  private constructor(lattice: Lattice) {
    this.allowed = new AllowedMarginals(lattice);
    this.conditional = new ConditionalMarginals(lattice);
  }

  /** Returns the instance of a lattice. */
  static of(lattice: Lattice): LossScratch {
    let scratch = scratches.get(lattice);
    if (scratch === undefined) {
      scratch = new LossScratch(lattice);
      scratches.set(lattice, scratch);
    }
    return scratch;
  }

  /** Returns a buffer for `count` numbers; buffers must be given back, last taken first. */
  take(count: number): Float64Array {
    const level = this.#taken;
    this.#taken += 1;
    if ((this.#kept[level]?.length ?? -1) < count) this.#kept[level] = new Float64Array(2 * count);
    return this.#kept[level]!;
  }

  giveBack(): void {
    this.#taken -= 1;
  }

  costs(count: number): Float64Array {
    if (this.#costs.length < count) this.#costs = new Float64Array(2 * count);
    return this.#costs;
  }

  marginals(count: number): Float64Array {
    if (this.#marginals.length < count) this.#marginals = new Float64Array(2 * count);
    return this.#marginals;
  }

  /** Returns a buffer for the predicted labels of a batch's tokens. */
  predicted(tokens: number): Int32Array {
    if (this.#predicted.length < tokens) this.#predicted = new Int32Array(2 * tokens);
    return this.#predicted;
  }

  /** Returns a buffer for one label per token of a batch. */
  path(tokens: number): Int32Array {
    if (this.#path.length < tokens) this.#path = new Int32Array(2 * tokens);
    return this.#path;
  }

  /** Returns a second label buffer. */
  otherPath(tokens: number): Int32Array {
    if (this.#otherPath.length < tokens) this.#otherPath = new Int32Array(2 * tokens);
    return this.#otherPath;
  }
}

const scratches = new WeakMap<Lattice, LossScratch>();
