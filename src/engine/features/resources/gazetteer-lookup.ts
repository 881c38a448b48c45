import type { Column } from '../../core/sentence/document.js';
import { type ContentTable, contentOf } from '../fingerprints/content-table.js';
import { Fingerprint } from '../fingerprints/fingerprint.js';
import type { Gazetteer } from './resources.js';
import { FingerprintTable, hashWord, type TokenLookup } from './token-lookup.js';

/**
 * Bits for sequences of tokens at the beginning of entries: whether they are an entry, and whether
 * an entry continues after them.
 */
const isEntry = 1;
const goesOn = 2;

/** Position of a token in an entry, by number; 0 means outside. */
const places = [undefined, 'B', 'I', 'E', 'S'] as const;
const [begin, inside, end, single] = [1, 2, 3, 4] as const;
const contents = places.map(place => (place === undefined ? { lo: 0, hi: 0 } : contentOf(place)));

/**
 * Finds gazetteer entries in sentences, from left to right, the longest at each token, without
 * overlap. The tokens of an entry get `B`, `I`, `E`, or `S` for a single token.
 *
 * The entries form a trie over token hashes: no strings are built except for lower case. Cost per
 * sentence O(tokens * longest entry), in practice little more than one step per token.
 */
export class GazetteerLookup implements TokenLookup {
  readonly #trie: FingerprintTable;
  readonly #fold: boolean;
  /** Hashes of a sentence's tokens, alternating lo and hi. */
  #tokens = new Int32Array(128);
  /** Positions of a sentence's tokens in entries. */
  #places = new Uint8Array(64);
  /** Hash of the tokens consumed by `#step`. */
  #lo = 0;
  #hi = 0;

  constructor({ text, fold }: Gazetteer) {
    this.#fold = fold;
    this.#trie = new FingerprintTable(text.length / 16);
    const hash = new Fingerprint();
    for (let at = 0; at < text.length; ) {
      const newline = text.indexOf('\n', at);
      const last = newline < 0 ? text.length : newline;
      this.#add(text, at, last, hash);
      at = last + 1;
    }
  }

  fill(
    column: Column,
    length: number,
    hash: Fingerprint,
    { lo, hi }: ContentTable,
    start: number,
  ): void {
    this.#match(column, length, hash);
    for (let t = 0; t < length; t += 1) {
      const content = contents[this.#places[t]!]!;
      lo[start + t] = content.lo;
      hi[start + t] = content.hi;
    }
  }

  texts(column: Column): (string | undefined)[] {
    this.#match(column, column.length, new Fingerprint());
    return Array.from({ length: column.length }, (_, t) => places[this.#places[t]!]);
  }

  /**
   * Visits all entries of up to `longest` tokens, including overlapping ones, as token ranges
   * `[start, end)`.
   */
  eachEntry(
    column: Column,
    length: number,
    longest: number,
    visit: (start: number, end: number) => void,
  ): void {
    this.#hashTokens(column, length, new Fingerprint());
    for (let start = 0; start < length; start += 1) {
      this.#restart();
      for (let t = start; t < Math.min(length, start + longest); t += 1) {
        this.#step(this.#tokens[2 * t]!, this.#tokens[2 * t + 1]!);
        const node = this.#trie.get(this.#lo, this.#hi);
        if ((node & isEntry) !== 0) visit(start, t + 1);
        if ((node & goesOn) === 0) break;
      }
    }
  }

  /** Finds the position in an entry of each token of a sentence. */
  #match(column: Column, length: number, hash: Fingerprint): void {
    this.#hashTokens(column, length, hash);
    if (this.#places.length < length) this.#places = new Uint8Array(2 * length);
    this.#places.fill(0, 0, length);
    for (let t = 0; t < length; ) {
      const matched = this.#longest(t, length);
      for (let i = 0; i < matched; i += 1) {
        const last = i === matched - 1;
        this.#places[t + i] = i === 0 ? (last ? single : begin) : last ? end : inside;
      }
      t += matched === 0 ? 1 : matched;
    }
  }

  /**
   * Returns the number of tokens of the longest entry that begins at a token; 0 if there is none.
   */
  #longest(from: number, length: number): number {
    let found = 0;
    this.#restart();
    for (let t = from; t < length; t += 1) {
      this.#step(this.#tokens[2 * t]!, this.#tokens[2 * t + 1]!);
      const node = this.#trie.get(this.#lo, this.#hi);
      if ((node & isEntry) !== 0) found = t + 1 - from;
      if ((node & goesOn) === 0) break;
    }
    return found;
  }

  #hashTokens(column: Column, length: number, hash: Fingerprint): void {
    if (this.#tokens.length < 2 * length) this.#tokens = new Int32Array(4 * length);
    for (let t = 0; t < length; t += 1) {
      hashWord(column[t]!, this.#fold, hash);
      this.#tokens[2 * t] = hash.lo;
      this.#tokens[2 * t + 1] = hash.hi;
    }
  }

  #add(text: string, from: number, to: number, hash: Fingerprint): void {
    this.#restart();
    for (let at = from; at < to; ) {
      // `indexOf` would search the whole list if no entry has a space.
      let last = at;
      while (last < to && text.charCodeAt(last) !== 0x20) last += 1;
      hash.start();
      hash.text(text, at, last);
      hash.finish();
      this.#step(hash.lo, hash.hi);
      const node = this.#trie.get(this.#lo, this.#hi);
      this.#trie.set(this.#lo, this.#hi, node | (last === to ? isEntry : goesOn));
      at = last + 1;
    }
  }

  #restart(): void {
    this.#lo = 0x6a09e667;
    this.#hi = 0x3c6ef372;
  }

  #step(lo: number, hi: number): void {
    const x = Math.imul(this.#lo ^ lo, 0x9e3779b1);
    const y = Math.imul(this.#hi ^ hi, 0x85ebca77);
    this.#lo = (x << 15) | (x >>> 17);
    this.#hi = (y << 13) | (y >>> 19);
  }
}
