import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { WordVectors } from '../../../engine/features/resources/resources.js';
import { fileError } from '../../../formats/files/file-error.js';
import {
  defaultMaxLineBytes,
  type Line,
  LineSplitter,
} from '../../../formats/lines/line-splitter.js';
import { isGzip } from '../../../formats/reading/first-bytes.js';
import { openInput } from '../../../formats/reading/open-input.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { gunzipped } from '../../../formats/reading/read-text.js';
import { BinaryVectors, JsonVectors, type VectorReader } from './json-vectors.js';
import { notVectors, VectorList } from './vector-list.js';

/**
 * Reads the first words of a file of word vectors: the text format of word2vec, fastText (`.vec`) or GloVe, binary
 * word2vec, or the JSON of the npm packages `wink-embeddings-*`; with or without gzip. Skips repeated words, words that
 * a file of clusters cannot contain, and zero vectors.
 *
 * @param maximum number of words to read
 * @throws TagstreamError `file`; `wrong-shape` with the line or the word, `invalid-utf8`
 */
export async function readWordVectors(path: string, most: number): Promise<WordVectors> {
  const input = await openInput(path);
  const parser = new VectorParser(most, input.source);
  try {
    for await (const chunk of input.chunks) {
      if (!parser.push(chunk)) break;
    }
    return parser.finish();
  } finally {
    input.close();
  }
}

/**
 * Reads a file of word vectors synchronously.
 *
 * @throws TagstreamError as `readWordVectors`
 */
export function readWordVectorsSync(path: string, most: number): WordVectors {
  const parser = new VectorParser(most, path);
  for (const chunk of syncChunks(path)) {
    if (!parser.push(chunk)) break;
  }
  return parser.finish();
}

const chunkBytes = 2 ** 20;

/**
 * Yields the bytes of a file in chunks, synchronously; gzip is decompressed in one call. The memory of a chunk may be
 * reused for the next one.
 *
 * @throws TagstreamError `file` if it cannot be read or decompressed
 * @example
 * [...syncChunks('/dev/null')] // => []
 */
export function* syncChunks(path: string): Generator<Uint8Array, void, undefined> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true || beginsAsGzip(path)) {
    const bytes = readBytes(path);
    const all = isGzip(bytes) ? gunzipped(bytes, path) : bytes;
    for (let at = 0; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes);
    return;
  }
  yield* plainChunks(path);
}

function* plainChunks(path: string): Generator<Uint8Array, void, undefined> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const file = opened(path);
  try {
    for (let read = next(file, chunk, path); read > 0; read = next(file, chunk, path)) {
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}

function beginsAsGzip(path: string): boolean {
  const file = opened(path);
  try {
    const head = Buffer.alloc(2);
    next(file, head, path);
    return isGzip(head);
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}

function next(file: number, chunk: Buffer, path: string): number {
  try {
    return readSync(file, chunk);
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}

/** Number of bytes by which a format is recognized. */
const looked = 65_536;

/** Parses word vectors incrementally from the bytes of a file, whatever its format. */
class VectorParser {
  readonly #list: VectorList;
  /** The first bytes, until there are enough of them to detect the format. */
  readonly #head: Uint8Array[] = [];
  #bytes = 0;
  #reader: VectorReader | undefined;
  #needsMore = true;

  /**
   * @param maximum number of words to read
   * @param source name of the file, for errors
   */
  constructor(most: number, source: string) {
    this.#list = new VectorList(most, source);
  }

  /** Reads the next bytes; returns false once no further bytes are needed. */
  push(chunk: Uint8Array): boolean {
    if (this.#reader !== undefined) this.#needsMore = this.#reader.push(chunk);
    else {
      // A reader may reuse the memory of a chunk.
      this.#head.push(chunk.slice());
      this.#bytes += chunk.length;
      if (this.#bytes >= looked) this.#begin();
    }
    return this.#needsMore;
  }

  /** Returns the vectors, once enough bytes or all of them have been read. */
  finish(): WordVectors {
    if (this.#reader === undefined) this.#begin();
    if (this.#needsMore) this.#reader!.end();
    if (this.#list.words.length === 0) {
      throw notVectors(this.#list.source, 'there is no word with a vector');
    }
    return this.#list.vectors();
  }

  #begin(): void {
    const head = Buffer.concat(this.#head);
    this.#reader = readerOf(head, this.#list);
    if (head.length > 0) this.#needsMore = this.#reader.push(head);
  }
}

/**
 * Returns the reader of a format. In text, numbers follow the first word; after a line of two numbers, binary vectors
 * may follow.
 */
function readerOf(head: Buffer, list: VectorList): VectorReader {
  if (/^\s*\{/.test(head.toString('latin1', 0, 16))) return new JsonVectors(list);
  const [, , dimensions] = /^(\d+) (\d+)\s*\n/.exec(head.toString('latin1', 0, 64)) ?? [];
  if (dimensions === undefined) return new TextVectors(list);
  const start = head.indexOf(10) + 1;
  const end = head.indexOf(10, start);
  const line = head.toString('latin1', start, end < 0 ? head.length : end);
  return /^\S+(?:[ \t]+[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)+\s*$/i.test(line)
    ? new TextVectors(list)
    : new BinaryVectors(list);
}

/**
 * Reads lines of a word and its numbers, optionally after a line with the counts of words and dimensions. A word may
 * contain blanks: the numbers are at the end of the line.
 */
class TextVectors implements VectorReader {
  readonly #list: VectorList;
  readonly #lines = new LineSplitter(defaultMaxLineBytes);

  constructor(list: VectorList) {
    this.#list = list;
  }

  push(chunk: Uint8Array): boolean {
    for (const line of this.#lines.push(chunk)) this.#take(line);
    return !this.#list.isFull;
  }

  end(): void {
    for (const line of this.#lines.end()) this.#take(line);
  }

  #take({ number, text, bad }: Line): void {
    const list = this.#list;
    if (list.isFull) return;
    if (bad !== undefined) throw bad.error.at({ source: list.source, line: number });
    const parts = text.trimEnd().split(/[ \t]/);
    if (parts.length === 1 && parts[0] === '') return;
    const isHeader = number === 1 && parts.length === 2 && parts.every(part => /^\d+$/.test(part));
    if (isHeader) {
      list.dimensions = Number(parts[1]);
      return;
    }
    if (list.dimensions === 0) list.dimensions = parts.length - 1;
    const words = parts.length - list.dimensions;
    const numbers = parts.slice(words).map(Number);
    if (words < 1 || !numbers.every(Number.isFinite)) {
      const problem = `expected a word and ${list.dimensions} numbers`;
      throw notVectors(list.source, problem, number);
    }
    list.add(parts.slice(0, words).join(' '), numbers);
  }
}
