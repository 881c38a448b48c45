import { notVectors } from './not-vectors.js';
import type { VectorList } from './vector-list.js';
import type { VectorReader } from './vector-reader.js';

/** What stands before the first vector. */
const beginning = /"vectors"\s*:\s*\{/;

/** A word and its numbers. */
const entry = /\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*\[([^\]]*)\]/y;

/**
 * Reads JSON as the npm packages `wink-embeddings-*` have it: `dimensions`, `wordIndex`, and `vectors` by word, in each of
 * which the place of the word among all words by frequency stands at `wordIndex`. Words are taken by that place.
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
    if (!this.#isInVectors) return true;
    entry.lastIndex = 0;
    let at = 0;
    for (let next = entry.exec(this.#rest); next !== null; next = entry.exec(this.#rest)) {
      at = entry.lastIndex;
      this.#take(next[1]!, next[2]!.split(',').map(Number));
    }
    this.#rest = this.#rest.slice(at);
    if (this.#found.length < this.#words) return true;
    this.#finish();
    return false;
  }

  end(): void {
    if (!this.#isInVectors) throw notVectors(this.#list.source, 'this JSON has no "vectors"');
    this.#finish();
  }

  /** Reads what stands before the vectors, once all of it is there. */
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
