import { commands, type GroupSignals } from '../../kernels/group/group-signals.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { MemberPieces, type SpacePlaces } from './member-pieces.js';
import { operations, paddedLength, pieces, VectorControl } from './vector-control.js';
import { NarrowTable, SparseTable, type SparseVector } from './vector-tables.js';

/** Threads that share the work on vectors, the calling one among them. */
export interface Together {
  readonly members: number;
  readonly signals: GroupSignals;
}

/** Vectors shorter than this are not worth waking other threads for. */
const fewest = 2 ** 14;

/**
 * Float64 vectors of one length in memory that threads can share, and the sums that optimizers make of them. They
 * are cut into pieces whose sums are added in order: the bytes are the same for any number of threads.
 *
 * All vectors that are given have to be of the space: others are a `TypeError`. Cost of each operation O(size),
 * as fast as memory gives the numbers.
 */
export class VectorSpace {
  readonly memory: LinearMemory;
  readonly size: number;
  readonly #control: VectorControl;
  readonly #offset: number;
  readonly #own = new WeakSet<Float64Array | Uint16Array>();
  #mine: MemberPieces;
  #together: Together | undefined;

  /** @param memory where the vectors are to be; threads can share it from now on */
  constructor(size: number, memory = new LinearMemory()) {
    this.memory = memory;
    memory.share();
    this.size = size;
    this.#offset = this.memory.allocate(VectorControl.bytes);
    this.#control = new VectorControl(this.memory, this.#offset);
    this.#mine = new MemberPieces(this.memory, this.places, 0, 1);
  }

  /** What another thread needs to take its part. */
  get places(): SpacePlaces {
    return { control: this.#offset, size: this.size };
  }

  /** From now on other threads take their part, as soon as they listen. */
  share(together: Together): void {
    if (this.size < fewest) return;
    this.#together = together;
    this.#mine = new MemberPieces(this.memory, this.places, 0, together.members);
  }

  /** A new vector, all zeros. */
  vector(): Float64Array {
    const offset = this.memory.allocate(8 * paddedLength(this.size));
    const vector = new Float64Array(this.memory.buffer, offset, this.size);
    this.#own.add(vector);
    return vector;
  }

  /** A new vector of bfloat16, all zeros: the upper halves of float32. */
  narrowVector(): Uint16Array {
    const offset = this.memory.allocate(2 * paddedLength(this.size));
    const vector = new Uint16Array(this.memory.buffer, offset, this.size);
    this.#own.add(vector);
    return vector;
  }

  /** Gives the memory of a vector back: it must not be used any more. */
  free(vector: Float64Array | Uint16Array): void {
    this.memory.free(this.#address(vector), vector.BYTES_PER_ELEMENT * paddedLength(this.size));
    this.#own.delete(vector);
  }

  /** Room for up to `most` vectors of bfloat16, to be taken together. */
  narrowTable(most: number): NarrowTable {
    return NarrowTable.create(this.memory, most);
  }

  /** Whether a vector is one of the space. */
  has(vector: Float64Array): boolean {
    return this.#own.has(vector);
  }

  /** Sum of x y. */
  dot(x: Float64Array, y: Float64Array): number {
    this.#post(operations.dot, x, x, y, y);
    return this.#sum();
  }

  /** Euclidean length. */
  norm(x: Float64Array): number {
    return Math.sqrt(this.dot(x, x));
  }

  /** How many numbers are not zero. */
  countActive(x: Float64Array): number {
    this.#post(operations.count, x, x, x, x);
    return this.#sum();
  }

  /** out = a x + b y; returns the sum of out z. `out` may be any of the three. */
  combine(
    out: Float64Array,
    a: number,
    x: Float64Array,
    b: number,
    y: Float64Array,
    z = out,
  ): number {
    this.#control.factors[0] = a;
    this.#control.factors[1] = b;
    this.#post(operations.combine, out, x, y, z);
    return this.#sum();
  }

  /** out = x y, number by number; returns the sum of out z. `out` may be any of the three. */
  multiply(out: Float64Array, x: Float64Array, y: Float64Array, z = out): number {
    this.#post(operations.multiply, out, x, y, z);
    return this.#sum();
  }

  /** Sparse vectors of this memory, to be summed again and again. */
  sparse(vectors: readonly SparseVector[]): SparseTable {
    return SparseTable.create(this.memory, this.size, vectors);
  }

  /** out = sum of the sparse vectors, added in their order. */
  sumSparse(out: Float64Array, { offset, count }: SparseTable): void {
    this.#control.words.set([operations.sumSparse, this.#address(out), offset, count, 0]);
    this.#sum();
  }

  /** out = x - y, rounded to bfloat16; returns the sum of its squares. */
  narrow(out: Uint16Array, x: Float64Array, y: Float64Array): number {
    this.#control.words.set([operations.narrow, this.#address(out)]);
    this.#control.words.set([this.#address(x), this.#address(y)], 2);
    return this.#sum();
  }

  /** Of the first `many` vectors of a table the sums of their products with x, and with y, in turn. */
  products(table: NarrowTable, many: number, x: Uint16Array, y: Float64Array): Float64Array {
    const addresses = [this.#address(x), this.#address(y)];
    this.#control.words.set([operations.products, table.offset, ...addresses, many, table.most]);
    this.#sum();
    const sums = new Float64Array(2 * many);
    for (let piece = 0; piece < pieces; piece += 1) {
      const part = table.sums(piece);
      for (let i = 0; i < sums.length; i += 1) sums[i]! += part[i]!;
    }
    return sums;
  }

  /** out = a out + the sum of the first `many` vectors of a table by their factors. */
  mix(out: Float64Array, a: number, table: NarrowTable, many: number): void {
    this.#control.factors[0] = a;
    const { offset, most } = table;
    this.#control.words.set([operations.mix, offset, this.#address(out), 0, many, most]);
    this.#sum();
  }

  #post(
    operation: number,
    out: Float64Array,
    x: Float64Array,
    y: Float64Array,
    z: Float64Array,
  ): void {
    const { words } = this.#control;
    words[0] = operation;
    words[1] = this.#address(out);
    words[2] = this.#address(x);
    words[3] = this.#address(y);
    words[4] = this.#address(z);
  }

  #address(vector: Float64Array | Uint16Array): number {
    if (!this.#own.has(vector)) throw new TypeError('the vector is not from this space');
    return vector.byteOffset;
  }

  #sum(): number {
    this.#together?.signals.begin(commands.vectors);
    this.#mine.work();
    this.#together?.signals.finish();
    let sum = 0;
    for (const part of this.#control.sums) sum += part;
    return sum;
  }
}

/** A function of some weights that has a gradient everywhere: what quasi-Newton trainers ask of an objective. */
export interface SmoothObjective {
  /** Vectors of the weights. */
  readonly space: VectorSpace;
  /** How often it has been evaluated. */
  evaluations: number;
  /** Whether a vector is one of `space`. */
  owns(vector: Float64Array): boolean;
  /** The present weights as a vector. */
  weights(): Float64Array;
  /** Makes a vector the present weights. */
  place(weights: Float64Array): void;
  /** Makes the vector of `space` that was evaluated last, as it is now, the present weights. */
  settle(): void;
  /** Gives back what only further evaluations need: there will be none. */
  release?(): void;
  /** The value at `weights`, and its gradient into `gradient`. */
  evaluate(weights: Float64Array, gradient: Float64Array): number;
}
