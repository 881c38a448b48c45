import { kibibytes } from '../../../engine/core/wording/numbers.js';
import { defaultMaxLineBytes } from '../../../formats/lines/line-splitter.js';
import { notVectors, type VectorList } from './vector-list.js';

/** Maximum number of bytes per word. */
const longestWord = 4096;

/**
 * Reads the binary form of word2vec: a line with the counts of words and dimensions, followed for each word by its
 * bytes, a blank and its numbers as little-endian 32-bit floats; a line break may follow. Words that are not UTF-8 are
 * skipped.
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
          `word ${this.#read + 1} is not terminated: the vectors before it do not have the dimensions of the first line`,
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

/** Extracts the words and vectors from a file of one format, chunk by chunk. */
export interface VectorReader {
  /** Reads the next bytes; returns false once no further bytes are needed. Does not keep the chunk. */
  push(chunk: Uint8Array): boolean;
  /** Called at the end of the bytes. */
  end(): void;
}

/** Matches the text before the first vector. */
const beginning = /"vectors"\s*:\s*\{/;

/** Matches a word and its numbers. */
const entry = /\s*(?:,\s*)?("(?:[^"\\]|\\.)*")\s*:\s*\[([^\]]*)\]/y;

/**
 * Reads JSON of the npm packages `wink-embeddings-*`: `dimensions`, `wordIndex`, and `vectors` by word, each with its
 * word's frequency rank at `wordIndex`. Words are taken in order of that rank.
 */
export class JsonVectors implements VectorReader {
  readonly #list: VectorList;
  readonly #decoder = new TextDecoder();
  readonly #found: {
    readonly place: number;
    readonly word: string;
    readonly numbers: Float32Array;
  }[] = [];
  #rest = '';
  #isInVectors = false;
  #placeAt = 0;
  #words = 0;

  constructor(list: VectorList) {
    this.#list = list;
  }

  push(chunk: Uint8Array): boolean {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    if (!this.#isInVectors) this.#begin();
    if (!this.#isInVectors) return this.#requireShort();
    entry.lastIndex = 0;
    let at = 0;
    for (let next = entry.exec(this.#rest); next !== null; next = entry.exec(this.#rest)) {
      at = entry.lastIndex;
      this.#take(next[1]!, next[2]!.split(',').map(Number));
    }
    this.#rest = this.#rest.slice(at);
    if (this.#found.length < this.#words) return this.#requireShort();
    this.#finish();
    return false;
  }

  end(): void {
    if (!this.#isInVectors) throw notVectors(this.#list.source, 'this JSON has no "vectors"');
    this.#finish();
  }

  /** @throws TagstreamError `wrong-shape` for a long text that is neither the beginning nor a vector: each chunk would read it again */
  #requireShort(): true {
    if (this.#rest.length <= defaultMaxLineBytes) return true;
    const part = this.#isInVectors ? 'a vector' : 'the text before "vectors"';
    throw notVectors(this.#list.source, `${part} is longer than ${kibibytes(defaultMaxLineBytes)}`);
  }

  /** Reads the text before the vectors, once it is complete. */
  #begin(): void {
    const list = this.#list;
    const begun = beginning.exec(this.#rest);
    if (begun === null) return;
    const head = this.#rest.slice(0, begun.index);
    list.dimensions = numberIn(head, 'dimensions');
    this.#placeAt = numberIn(head, 'wordIndex');
    this.#words = Math.min(list.most, numberIn(head, 'size'));
    if (!(this.#placeAt >= list.dimensions && this.#words > 0)) {
      throw notVectors(list.source, 'this JSON does not say where the numbers of its vectors are');
    }
    this.#rest = this.#rest.slice(begun.index + begun[0].length);
    this.#isInVectors = true;
  }

  #take(quoted: string, numbers: readonly number[]): void {
    const { source, dimensions } = this.#list;
    const place = numbers[this.#placeAt];
    if (place === undefined || !numbers.every(Number.isFinite)) {
      throw notVectors(
        source,
        `the vector of ${quoted} is not ${this.#placeAt + 1} numbers or more`,
      );
    }
    if (place >= this.#words) return;
    const word = JSON.parse(quoted) as string;
    this.#found.push({ place, word, numbers: Float32Array.from(numbers.slice(0, dimensions)) });
  }

  #finish(): void {
    this.#found.sort((a, b) => a.place - b.place);
    for (const { word, numbers } of this.#found) this.#list.add(word, numbers);
  }
}

function numberIn(text: string, key: string): number {
  return Number(new RegExp(`"${key}"\\s*:\\s*(\\d+)`).exec(text)?.[1]);
}
