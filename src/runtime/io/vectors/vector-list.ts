import { TagstreamError } from '../../../engine/core/errors.js';
import type { WordVectors } from '../../../engine/features/resources/resources.js';

/** Maximum number of dimensions of a vector. */
const mostDimensions = 4096;

/** Collects the first words of a file with their vectors. */
export class VectorList {
  readonly source: string;
  readonly words: string[] = [];
  /** Maximum number of words. */
  readonly most: number;
  readonly #known = new Set<string>();
  #dimensions = 0;
  #values = new Float32Array(0);

  /** @param source name of the file, for errors */
  constructor(most: number, source: string) {
    this.most = most;
    this.source = source;
  }

  /** Whether the maximum number of words is reached. */
  get isFull(): boolean {
    return this.words.length >= this.most;
  }

  /** Number of dimensions of each vector; 0 until known. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** @throws TagstreamError `wrong-shape` unless it is a valid number of dimensions */
  set dimensions(given: number) {
    if (!Number.isInteger(given) || given < 1 || given > mostDimensions) {
      throw notVectors(
        this.source,
        `the vectors have ${given} dimensions, but 1 to ${mostDimensions} are supported`,
      );
    }
    this.#dimensions = given;
  }

  /** Adds a word, unless it is repeated or a file of clusters cannot contain it. */
  add(word: string, vector: ArrayLike<number>): void {
    if (this.isFull || this.#known.has(word) || !/^[^\t\n\r\ufffd]+$/.test(word)) return;
    let square = 0;
    for (let i = 0; i < this.#dimensions; i += 1) square += vector[i]! ** 2;
    if (!(square > 0 && Number.isFinite(square))) return;
    const at = this.words.length * this.#dimensions;
    if (at + this.#dimensions > this.#values.length) {
      const grown = new Float32Array(2 * (at + 512 * this.#dimensions));
      grown.set(this.#values);
      this.#values = grown;
    }
    for (let i = 0; i < this.#dimensions; i += 1) this.#values[at + i] = vector[i]!;
    this.#known.add(word);
    this.words.push(word);
  }

  vectors(): WordVectors {
    const values = this.#values.slice(0, this.words.length * this.#dimensions);
    return { words: this.words, dimensions: this.#dimensions, values };
  }
}

/** Returns the error for a file that does not contain word vectors. */
export function notVectors(source: string, problem: string, line?: number): TagstreamError {
  return new TagstreamError('wrong-shape', problem, {
    place: { source, ...(line === undefined ? {} : { line }) },
    fix: 'give word vectors: text or binary word2vec, GloVe, fastText (.vec), or the name of an installed npm package wink-embeddings-*',
  });
}
