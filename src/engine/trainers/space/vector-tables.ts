import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { pieceLength, pieces } from './vector-control.js';

/**
 * Number of words per row: addresses of places and values, the start of each piece among them, and the end.
 */
const rowWords = 2 + pieces + 1;

/** Sparse vectors in the kernel's form: addresses, and the starts of the vectors' pieces. */
export class SparseTable {
  readonly count: number;
  readonly offset: number;
  readonly #words: Uint32Array;

  constructor(memory: LinearMemory, offset: number, count: number) {
    memory.refresh(offset + SparseTable.bytes(count));
    this.offset = offset;
    this.count = count;
    this.#words = new Uint32Array(memory.buffer, offset, count * rowWords);
  }

  static bytes(count: number): number {
    return 4 * count * rowWords;
  }

  /** @param size length of a whole vector */
  static create(memory: LinearMemory, size: number, vectors: readonly SparseVector[]): SparseTable {
    const runs = risingRuns(vectors);
    const offset = memory.allocate(SparseTable.bytes(runs.length));
    const table = new SparseTable(memory, offset, runs.length);
    const length = pieceLength(size);
    runs.forEach(({ places, values }, row) => {
      const words = table.row(row);
      words[0] = places.byteOffset;
      words[1] = values.byteOffset;
      let next = 0;
      for (let piece = 0; piece <= pieces; piece += 1) {
        while (next < places.length && places[next]! < piece * length) next += 1;
        words[2 + piece] = next;
      }
    });
    return table;
  }

  /** Returns the addresses of a vector's places and values and, from word 2 on, the starts of its pieces. */
  row(row: number): Uint32Array {
    return this.#words.subarray(row * rowWords, (row + 1) * rowWords);
  }
}

/**
 * Cuts sparse vectors wherever their places do not ascend, so that each piece's numbers are contiguous. Cost
 * O(numbers).
 */
export function risingRuns(vectors: readonly SparseVector[]): SparseVector[] {
  const runs: SparseVector[] = [];
  for (const { places, values } of vectors) {
    let from = 0;
    for (let i = 1; i <= places.length; i += 1) {
      if (i < places.length && places[i]! > places[i - 1]!) continue;
      runs.push({ places: places.subarray(from, i), values: values.subarray(from, i) });
      from = i;
    }
  }
  return runs;
}

/** A sparse vector in memory shared by threads. */
export interface SparseVector {
  /** Places of the values in a whole vector, without duplicates. */
  readonly places: Uint32Array;
  readonly values: Float64Array;
}

/** A table of bfloat16 vectors used together: addresses, factors, and sums of products. */
export class NarrowTable {
  readonly offset: number;
  readonly most: number;
  /** Addresses of the vectors. */
  readonly addresses: Uint32Array;
  /** Factor of each vector. */
  readonly factors: Float64Array;
  readonly #sums: Float64Array;

  constructor(memory: LinearMemory, offset: number, most: number) {
    memory.refresh(offset + NarrowTable.bytes(most));
    this.offset = offset;
    this.most = most;
    this.addresses = new Uint32Array(memory.buffer, offset, most);
    const numbers = offset + 8 * most;
    this.factors = new Float64Array(memory.buffer, numbers, most);
    this.#sums = new Float64Array(memory.buffer, numbers + 8 * most, 2 * most * pieces);
  }

  static bytes(most: number): number {
    return 8 * most * (2 + 2 * pieces);
  }

  static create(memory: LinearMemory, most: number): NarrowTable {
    return new NarrowTable(memory, memory.allocate(NarrowTable.bytes(most)), most);
  }

  /** Returns the sums of a piece, two per vector. */
  sums(piece: number): Float64Array {
    return this.#sums.subarray(2 * this.most * piece, 2 * this.most * (piece + 1));
  }
}
