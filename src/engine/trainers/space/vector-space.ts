import { commands, type GroupSignals } from '../../kernels/group/group-signals.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { MemberPieces, type SpacePlaces } from './member-pieces.js';
import { operations, paddedLength, pieces, VectorControl } from './vector-control.js';
import { NarrowTable, SparseTable, type SparseVector } from './vector-tables.js';

/** Threads that share the work on vectors, including the calling thread. */
export interface Together {
  readonly members: number;
  readonly signals: GroupSignals;
}

/** Minimum vector length for which waking other threads pays off. */
const fewest = 2 ** 14;

/**
 * Float64 vectors of one length in shareable memory, and the operations that optimizers need. Vectors are cut
 * into pieces whose sums are added in order, so the bytes are the same for any number of threads.
 *
 * All vectors passed must belong to the space; any other is a `TypeError`. Each operation costs O(size), limited
 * by memory bandwidth.
 */
export class VectorSpace {
  readonly memory: LinearMemory;
  readonly size: number;
  readonly #control: VectorControl;
  readonly #offset: number;
  readonly #own = new WeakSet<Float64Array | Uint16Array>();
  #mine: MemberPieces;
  #together: Together | undefined;

  /** @param memory the memory of the vectors; becomes shareable by threads */
  constructor(size: number, memory = new LinearMemory()) {
    this.memory = memory;
    memory.share();
    this.size = size;
    this.#offset = this.memory.allocate(VectorControl.bytes);
    this.#control = new VectorControl(this.memory, this.#offset);
    this.#mine = new MemberPieces(this.memory, this.places, 0, 1);
  }

  /** Everything another thread needs to take part. */
  get places(): SpacePlaces {
    return { control: this.#offset, size: this.size };
  }

  /** Lets other threads take part as soon as they listen. */
  share(together: Together): void {
    if (this.size < fewest) return;
    this.#together = together;
    this.#mine = new MemberPieces(this.memory, this.places, 0, together.members);
  }

  /** Allocates a vector of zeros. */
  vector(): Float64Array {
    const offset = this.memory.allocate(8 * paddedLength(this.size));
    const vector = new Float64Array(this.memory.buffer, offset, this.size);
    this.#own.add(vector);
    return vector;
  }

  /** Allocates a bfloat16 vector of zeros (the upper halves of float32 numbers). */
  narrowVector(): Uint16Array {
    const offset = this.memory.allocate(2 * paddedLength(this.size));
    const vector = new Uint16Array(this.memory.buffer, offset, this.size);
    this.#own.add(vector);
    return vector;
  }

  /** Frees a vector, which must not be used afterwards. */
  free(vector: Float64Array | Uint16Array): void {
    this.memory.free(this.#address(vector), vector.BYTES_PER_ELEMENT * paddedLength(this.size));
    this.#own.delete(vector);
  }

  /** Allocates a table for up to `most` bfloat16 vectors used together. */
  narrowTable(most: number): NarrowTable {
    return NarrowTable.create(this.memory, most);
  }

  /** Returns whether a vector belongs to the space. */
  has(vector: Float64Array): boolean {
    return this.#own.has(vector);
  }

  /** Returns the sum of x y. */
  dot(x: Float64Array, y: Float64Array): number {
    this.#post(operations.dot, x, x, y, y);
    return this.#sum();
  }

  /** Returns the Euclidean norm. */
  norm(x: Float64Array): number {
    return Math.sqrt(this.dot(x, x));
  }

  /** Returns the number of nonzero entries. */
  countActive(x: Float64Array): number {
    this.#post(operations.count, x, x, x, x);
    return this.#sum();
  }

  /** Computes out = a x + b y; returns the sum of out z. `out` may be x, y or z. */
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

  /** Computes out = x y elementwise; returns the sum of out z. `out` may be x, y or z. */
  multiply(out: Float64Array, x: Float64Array, y: Float64Array, z = out): number {
    this.#post(operations.multiply, out, x, y, z);
    return this.#sum();
  }

  /** Prepares sparse vectors in this memory for repeated summation. */
  sparse(vectors: readonly SparseVector[]): SparseTable {
    return SparseTable.create(this.memory, this.size, vectors);
  }

  /** Computes out = sum of the sparse vectors, added in order. */
  sumSparse(out: Float64Array, { offset, count }: SparseTable): void {
    this.#control.words.set([operations.sumSparse, this.#address(out), offset, count, 0]);
    this.#sum();
  }

  /** Computes out = x - y, rounded to bfloat16; returns the sum of the squares of `out`. */
  narrow(out: Uint16Array, x: Float64Array, y: Float64Array): number {
    this.#control.words.set([operations.narrow, this.#address(out)]);
    this.#control.words.set([this.#address(x), this.#address(y)], 2);
    return this.#sum();
  }

  /** Returns the inner products of a table's first `many` vectors with x and with y, in turn. */
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

  /** Computes out = a out + the sum of a table's first `many` vectors times their factors. */
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

/** A differentiable function of some weights, the objective of quasi-Newton trainers. */
export interface SmoothObjective {
  /** The space of weight vectors. */
  readonly space: VectorSpace;
  /** Number of evaluations. */
  evaluations: number;
  /** Returns whether a vector belongs to `space`. */
  owns(vector: Float64Array): boolean;
  /** Returns the current weights as a vector. */
  weights(): Float64Array;
  /** Makes a vector the current weights. */
  place(weights: Float64Array): void;
  /** Makes the last evaluated vector of `space`, with its current contents, the current weights. */
  settle(): void;
  /** Frees the memory needed only for further evaluations. No evaluation may follow. */
  release?(): void;
  /** Returns the value at `weights`, and writes its gradient to `gradient`. */
  evaluate(weights: Float64Array, gradient: Float64Array): number;
  /** Returns the part of the value at `weights` that is not a sum of losses. Absent: 0. */
  penalty?(weights: Float64Array): number;
}
