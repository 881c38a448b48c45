import { type Line, LineSplitter } from '../lines/line-splitter.js';
import { defaultMaxLineBytes } from '../lines/lines.js';
import { notVectors } from './not-vectors.js';
import type { VectorList } from './vector-list.js';
import type { VectorReader } from './vector-reader.js';

/**
 * Reads lines of a word and its numbers, after a line with the counts of words and dimensions or without it. A word may
 * have blanks in it: the numbers are the last ones of the line.
 */
export class TextVectors implements VectorReader {
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
      const problem = `a word and ${list.dimensions} numbers are expected here`;
      throw notVectors(list.source, problem, number);
    }
    list.add(parts.slice(0, words).join(' '), numbers);
  }
}
