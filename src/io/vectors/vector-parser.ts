import type { WordVectors } from '../../features/vectors/word-vectors.js';
import { BinaryVectors } from './binary-vectors.js';
import { JsonVectors } from './json-vectors.js';
import { notVectors } from './not-vectors.js';
import { TextVectors } from './text-vectors.js';
import { VectorList } from './vector-list.js';
import type { VectorReader } from './vector-reader.js';

/** Bytes by which a format is recognised. */
const looked = 65_536;

/** Makes word vectors of the bytes of a file, as they come, whatever its format. */
export class VectorParser {
  readonly #list: VectorList;
  /** The first bytes, until there are enough to know the format. */
  readonly #head: Uint8Array[] = [];
  #bytes = 0;
  #reader: VectorReader | undefined;
  #needsMore = true;

  /**
   * @param most words that are taken
   * @param source name of the file, for errors
   */
  constructor(most: number, source: string) {
    this.#list = new VectorList(most, source);
  }

  /** Takes the next bytes; false once no more are needed. */
  push(chunk: Uint8Array): boolean {
    if (this.#reader !== undefined) this.#needsMore = this.#reader.push(chunk);
    else {
      // A reader may use the memory of a chunk again.
      this.#head.push(chunk.slice());
      this.#bytes += chunk.length;
      if (this.#bytes >= looked) this.#begin();
    }
    return this.#needsMore;
  }

  /** The vectors, once no more bytes are needed or come. */
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

/** Text has numbers behind the first word; after a line of two numbers binary vectors may follow. */
function readerOf(head: Buffer, list: VectorList): VectorReader {
  if (/^\s*\{/.test(head.toString('latin1', 0, 16))) return new JsonVectors(list);
  const [, , dimensions] = /^(\d+) (\d+)\s*\n/.exec(head.toString('latin1', 0, 64)) ?? [];
  if (dimensions === undefined) return new TextVectors(list);
  const start = head.indexOf(10) + 1;
  const end = head.indexOf(10, start);
  const line = head.toString('latin1', start, end < 0 ? head.length : end);
  return /^\S+(?:[ \t]+[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)+\s*$/i.test(line)
    ? new TextVectors(list)
    : new BinaryVectors(list);
}
