import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';

/** Number of bytes of an entry. */
const entryBytes = 8;

/** Maximum number of bytes of a word that is hashed without a copy of its own. */
const longest = 256;

/** Memory in which the kernel fills tables; it keeps the size of the largest lexicon. */
let scratch: LinearMemory | undefined;

/**
 * The classes of a lexicon's words, looked up in the JSON of a model file: parsing tens of thousands of words and
 * entering them into a `Map` takes ten times as long, and most of them are never looked up.
 *
 * A word is compared as written in JSON, in UTF-8.
 */
export class LexiconWords {
  readonly #json: Uint8Array;
  /** Where each word and its class begin, alternating; 0 marks a free entry. */
  readonly #table: Uint32Array;
  readonly #names = new Map<number, string>();
  readonly #encoder = new TextEncoder();
  readonly #word = new Uint8Array(longest);

  private constructor(json: Uint8Array, table: Uint32Array) {
    this.#json = json;
    this.#table = table;
  }

  /**
   * Returns the classes of a lexicon, such as `[["LOC!2",["oslo"]]]`; undefined if the JSON is not of this form, or has
   * white space or escapes by number. Cost O(bytes).
   */
  static of(json: Uint8Array): LexiconWords | undefined {
    if (!isUtf8(json)) return undefined;
    scratch ??= new LinearMemory();
    const memory = scratch;
    const { countTexts, enterWords } = featureFunctions(memory);
    const text = memory.allocate(json.length);
    const end = text + json.length;
    new Uint8Array(memory.buffer, text, json.length).set(json);
    const entries = 2 ** Math.ceil(Math.log2(2 * countTexts(text, end) + 2));
    const table = memory.allocate(entries * entryBytes);
    const isRight = enterWords(text, end, table, entries - 1) !== 0;
    const words = isRight
      ? new Uint32Array(memory.buffer, table, 2 * entries).slice()
      : new Uint32Array(0);
    memory.free(table, entries * entryBytes);
    memory.free(text, json.length);
    return isRight ? new LexiconWords(json, words) : undefined;
  }

  /** Returns the class of a word; undefined if it has none. */
  classOf(word: string): string | undefined {
    const { length } = word;
    if (length > longest) return this.#find(this.#written(word));
    const bytes = this.#word;
    for (let i = 0; i < length; i += 1) {
      const unit = word.charCodeAt(i);
      if (unit > 0x7e || unit < 0x20 || unit === 0x22 || unit === 0x5c) {
        return this.#find(this.#written(word));
      }
      bytes[i] = unit;
    }
    return this.#find(bytes, length);
  }

  /** Returns a word as JSON, in which lone surrogates have escapes by number, which no known word has. */
  #written(word: string): Uint8Array {
    return this.#encoder.encode(JSON.stringify(word).slice(1, -1));
  }

  #find(word: Uint8Array, length = word.length): string | undefined {
    const table = this.#table;
    const mask = table.length / 2 - 1;
    let hash = 0x811c9dc5;
    for (let i = 0; i < length; i += 1) hash = Math.imul(hash ^ word[i]!, 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let held = table[2 * slot]!; held !== 0; held = table[2 * slot]!) {
      if (this.#isAt(held, word, length)) return this.#nameAt(table[2 * slot + 1]!);
      slot = (slot + 1) & mask;
    }
    return undefined;
  }

  #isAt(held: number, word: Uint8Array, length: number): boolean {
    const json = this.#json;
    let i = 0;
    while (i < length && json[held + i] === word[i]) i += 1;
    return i === length && json[held + i] === 0x22;
  }

  #nameAt(from: number): string {
    let name = this.#names.get(from);
    if (name === undefined) {
      const json = this.#json;
      let end = from;
      while (json[end] !== 0x22) end += json[end] === 0x5c ? 2 : 1;
      name = JSON.parse(new TextDecoder().decode(json.subarray(from - 1, end + 1))) as string;
      this.#names.set(from, name);
    }
    return name;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
