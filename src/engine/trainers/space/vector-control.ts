import type { LinearMemory } from '../../kernels/memory/linear-memory.js';

/**
 * Number of pieces per vector, for any number of threads: sums are added in the order of the
 * pieces.
 */
export const pieces = 16;

/** Operations on vectors, piece by piece; see `VectorSpace`. */
export const operations = {
  combine: 1,
  dot: 2,
  multiply: 3,
  sumSparse: 4,
  count: 5,
  narrow: 6,
  products: 7,
  mix: 8,
} as const;

const words = 8;
const factors = 2;

/**
 * Returns the length of a vector in memory: rounded up for the kernel's functions, padded with
 * zeros.
 */
export function paddedLength(size: number): number {
  return 8 * Math.ceil(size / 8);
}

/** Returns the length of a piece; the last pieces may be shorter or empty. */
export function pieceLength(size: number): number {
  return 8 * Math.ceil(paddedLength(size) / 8 / pieces);
}

/** Shared memory from which threads read their operation, and to which they write the results. */
export class VectorControl {
  static readonly bytes: number = 4 * words + 8 * (factors + pieces);
  /** The operation and the addresses of its operands. */
  readonly words: Uint32Array;
  readonly factors: Float64Array;
  /** The sum of each piece. */
  readonly sums: Float64Array;

  constructor(memory: LinearMemory, offset: number) {
    memory.refresh(offset + VectorControl.bytes);
    this.words = new Uint32Array(memory.buffer, offset, words);
    this.factors = new Float64Array(memory.buffer, offset + 4 * words, factors);
    this.sums = new Float64Array(memory.buffer, offset + 4 * words + 8 * factors, pieces);
  }
}
