import { notVectors } from './not-vectors.js';
import type { VectorList } from './vector-list.js';
import type { VectorReader } from './vector-reader.js';

/** Bytes of a word, at most. */
const longestWord = 4096;

/**
 * Reads the binary form of word2vec: a line with the counts of words and dimensions, then for each word its bytes, a blank
 * and its numbers in 4 bytes each, the lowest first; a line break may follow. Words that are not UTF-8 are left out.
 */
export class BinaryVectors implements VectorReader {
  readonly #list: VectorList;
  #rest: Buffer = Buffer.alloc(0);
  #expected: number | undefined;
  #read = 0;

  constructor(list: VectorList) {
    this.#list = list;
  }

  push(chunk: Uint8Array): boolean {
    const list = this.#list;
    const rest = Buffer.concat([this.#rest, chunk]);
    this.#rest = rest;
    let at = 0;
    if (this.#expected === undefined) {
      const end = rest.indexOf(10);
      if (end < 0) return true;
      const [words, dimensions] = rest.toString('latin1', 0, end).trim().split(' ').map(Number);
      this.#expected = words!;
      list.dimensions = dimensions!;
      at = end + 1;
    }
    const bytes = 4 * list.dimensions;
    const vector = new Float32Array(list.dimensions);
    while (this.#read < this.#expected && !list.isFull) {
      const start = rest[at] === 10 ? at + 1 : at;
      const blank = rest.indexOf(32, start);
      const length = (blank < 0 ? rest.length : blank) - start;
      if (length > longestWord || blank === start) {
        throw notVectors(
          list.source,
          `word ${this.#read + 1} has no end: the numbers before it are not as many as the first line says`,
        );
      }
      if (blank < 0 || rest.length < blank + 1 + bytes) break;
      for (let i = 0; i < vector.length; i += 1) vector[i] = rest.readFloatLE(blank + 1 + 4 * i);
      list.add(rest.toString('utf8', start, blank), vector);
      at = blank + 1 + bytes;
      this.#read += 1;
    }
    this.#rest = rest.subarray(at);
    return !list.isFull && this.#read < this.#expected;
  }

  end(): void {
    const { source } = this.#list;
    throw notVectors(source, `the file ends after ${this.#read} of ${this.#expected ?? 0} words`);
  }
}
