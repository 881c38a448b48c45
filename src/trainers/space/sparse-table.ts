import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import type { SparseVector } from './sparse-vector.js';
import { pieceLength, pieces } from './vector-control.js';

/** Words of a row: where places and values are, then where each piece begins among them, and the end. */
const rowWords = 2 + pieces + 1;

/** Sparse vectors as the functions of the kernel want them: addresses, and cut into the pieces of vectors. */
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

  /** @param size numbers of a whole vector */
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

  /** Addresses of places and values of a vector; from word 2 on, where its pieces begin. */
  row(row: number): Uint32Array {
    return this.#words.subarray(row * rowWords, (row + 1) * rowWords);
  }
}

/**
 * Cuts sparse vectors where their places do not rise, so that each piece of a whole vector finds its own numbers
 * side by side. Cost O(their numbers).
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
