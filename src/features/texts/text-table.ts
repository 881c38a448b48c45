import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import type { Atom } from '../extraction/atom.js';
import { contentOf } from '../fingerprints/content-table.js';
import { Fingerprint } from '../fingerprints/fingerprint.js';

const headerBytes = 32;
const entryBytes = 32;
const noteWords = 3;

/** Bytes past the first 16 of all texts. */
const restBytes = 2 ** 20;

/**
 * Numbers texts in the order in which the kernel meets them (`assembly/records/texts.ts`). The table is bounded: when
 * it is full, `clear` empties it.
 */
export class TextNumbers {
  readonly memory: LinearMemory;
  /** Where the kernel finds the table. */
  readonly offset: number;
  /** Most texts held. */
  readonly most: number;
  readonly #entries: number;
  readonly #rests: number;
  readonly #notes: number;

  /** @param most a power of two */
  constructor(memory: LinearMemory, most: number) {
    this.memory = memory;
    this.most = most;
    this.offset = memory.allocate(headerBytes);
    this.#entries = memory.allocate(2 * most * entryBytes);
    this.#rests = memory.allocate(restBytes);
    this.#notes = memory.allocate(4 * most * noteWords);
  }

  /** Number of texts, including reserved numbers. */
  get size(): number {
    return this.#header()[2]!;
  }

  /** Forgets all texts; numbers then start at `first`. */
  clear(first: number): void {
    const entries = 2 * this.most;
    new Uint8Array(this.memory.buffer, this.#entries, entries * entryBytes).fill(0);
    const rests = [this.#rests, this.#rests + restBytes, 0];
    this.#header().set([this.#entries, entries - 1, first, this.most, ...rests, this.#notes]);
  }

  /** Reserves numbers for texts unknown to the kernel; returns the first. */
  take(count: number): number {
    const first = this.size;
    this.#header()[2] = first + count;
    return first;
  }

  /**
   * Returns a copy of (address, length, column) where each text from a number on was first seen.
   */
  notesFrom(first: number): Uint32Array {
    const words = noteWords * (this.size - first);
    return new Uint32Array(this.memory.buffer, this.#notes + 4 * noteWords * first, words).slice();
  }

  #header(): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.offset, headerBytes / 4);
  }
}

/** Most texts held. */
const mostTexts = 2 ** 15;

/** Texts whose rows are found per call. */
const atATime = 256;

/** The data required for the texts of a column. */
export interface TextColumn {
  /** Each `isOfText`. */
  readonly atoms: readonly Atom[];
  readonly rows: RowsOfTexts;
  /** Receives each new text with its number. */
  readonly named?: ((number: number, text: string) => void) | undefined;
}

/** Rows of features that depend on one text each. */
export interface RowsOfTexts {
  /** Features per text. */
  readonly count: number;
  /**
   * Returns the row + 1 of each feature of each text, or 0.
   *
   * @param contents for each text, lo and hi of each atom in turn
   */
  find(contents: readonly Int32Array[]): Uint32Array;
}

/**
 * Numbers the texts of columns, as written in cells or between the quotes of JSON strings, and keeps a record
 * per text: the values of its column's atoms, then the rows of the features that depend on it alone. Most
 * tokens have been seen before and cost one lookup.
 *
 * The kernel adds texts (`assembly/records/texts.ts`); `describe` creates the records of new ones. The table is
 * bounded (`TextNumbers`). The first numbers are the positions around a sentence: `reach` before it, the
 * furthest first, and `reach` after it, for each column.
 */
export class TextTable {
  readonly memory: LinearMemory;
  /** Records by text: lo and hi for each atom, then row + 1, or 0, for each template. */
  readonly records: number;
  readonly recordBytes: number;
  readonly #columns: readonly TextColumn[];
  readonly #reach: number;
  readonly #inJson: boolean;
  readonly #numbers: TextNumbers;
  readonly #hash = new Fingerprint();
  // A token may begin with a character that is a byte order mark at the start of a file.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #described = 0;
  #cleared = 0;

  /** @param inJson whether texts may have JSON escapes */
  constructor(
    memory: LinearMemory,
    columns: readonly TextColumn[],
    reach: number,
    inJson: boolean,
  ) {
    this.memory = memory;
    this.#columns = columns;
    this.#reach = reach;
    this.#inJson = inJson;
    const bytes = columns.map(({ atoms, rows }) => 8 * atoms.length + 4 * rows.count);
    this.recordBytes = 8 * Math.ceil(Math.max(...bytes) / 8);
    this.#numbers = new TextNumbers(memory, mostTexts);
    this.records = memory.allocate(mostTexts * this.recordBytes);
    this.clear();
    this.#describeAround();
  }

  /** Where the kernel finds the table. */
  get offset(): number {
    return this.#numbers.offset;
  }

  /** Number of texts, including those around a sentence. */
  get size(): number {
    return this.#numbers.size;
  }

  /** How often all texts have been forgotten, which invalidates earlier numbers. */
  get cleared(): number {
    return this.#cleared;
  }

  /** Forgets all texts. */
  clear(): void {
    this.#described = 2 * this.#reach * this.#columns.length;
    this.#numbers.clear(this.#described);
    this.#cleared += 1;
  }

  /**
   * Adds texts that the kernel has not seen and that have no number yet; returns the number of the first, the
   * others follow. There must be room: see `clear`.
   */
  add(texts: readonly string[], column: number): number {
    const first = this.#numbers.take(texts.length);
    const numbers = texts.map((_, i) => first + i);
    this.#write(
      column,
      numbers,
      texts.map(text => this.#contentsOf(text, column)),
    );
    this.#described = this.size;
    return first;
  }

  /** Number of texts that fit before all have to be forgotten. */
  get room(): number {
    return mostTexts - this.size;
  }

  /** Creates the records of texts added since the last call; reads the memory that they came from again. */
  describe(): void {
    const { size } = this;
    if (size === this.#described) return;
    const first = this.#described;
    const notes = this.#numbers.notesFrom(first);
    const byColumn: number[][] = this.#columns.map(() => []);
    for (let text = first; text < size; text += 1) {
      byColumn[notes[3 * (text - first) + 2]!]!.push(text);
    }
    for (const [column, texts] of byColumn.entries()) {
      for (let from = 0; from < texts.length; from += atATime) {
        const part = texts.slice(from, from + atATime);
        const contents = part.map(number => {
          const note = 3 * (number - first);
          const text = this.#textOf(notes[note]!, notes[note + 1]!);
          this.#columns[column]!.named?.(number, text);
          return this.#contentsOf(text, column);
        });
        this.#write(column, part, contents);
      }
    }
    this.#described = size;
  }

  /** All atoms have the same values outside of a sentence. */
  #describeAround(): void {
    const near = Array.from({ length: this.#reach }, (_, i) => i + 1);
    const names = [...near.map(i => `_B-${i}`).reverse(), ...near.map(i => `_B+${i}`)];
    for (const [column, { atoms }] of this.#columns.entries()) {
      const texts = names.map((_, i) => column * names.length + i);
      const contents = names.map(name => {
        const { lo, hi } = contentOf(name);
        return Int32Array.from(atoms.flatMap(() => [lo, hi]));
      });
      this.#write(column, texts, contents);
    }
  }

  #write(column: number, texts: readonly number[], contents: readonly Int32Array[]): void {
    const { rows } = this.#columns[column]!;
    // Memory may have grown in between.
    const found = rows.find(contents);
    for (const [i, text] of texts.entries()) {
      const words = this.recordBytes / 4;
      const record = new Int32Array(this.memory.buffer, this.records + text * words * 4, words);
      record.set(contents[i]!);
      const own = found.subarray(i * rows.count, (i + 1) * rows.count);
      record.set(own, contents[i]!.length);
    }
  }

  #contentsOf(text: string, column: number): Int32Array {
    const { atoms } = this.#columns[column]!;
    const contents = new Int32Array(2 * atoms.length);
    const hash = this.#hash;
    for (const [i, atom] of atoms.entries()) {
      if (!atom.hash(text, hash)) continue;
      contents[2 * i] = hash.lo;
      contents[2 * i + 1] = hash.hi;
    }
    return contents;
  }

  /** Returns the text at an address, without escapes. */
  #textOf(address: number, length: number): string {
    const bytes = new Uint8Array(this.memory.buffer, address, length);
    // A copy if threads share the memory, because decoders reject shared memory.
    const raw = this.#decoder.decode(this.memory.isShared ? bytes.slice() : bytes);
    return this.#inJson && raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
  }
}
