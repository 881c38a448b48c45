import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import type { Atom } from '../extraction/atom.js';
import { contentOf } from '../fingerprints/content-table.js';
import { Fingerprint } from '../fingerprints/fingerprint.js';

const headerBytes = 32;
const entryBytes = 32;
const noteWords = 3;

/** Number of bytes for all texts beyond the first 16 of each. */
const restBytes = 2 ** 20;

/**
 * Numbers texts in the order in which the kernel meets them (`assembly/records/texts.ts`). The table is bounded: when
 * it is full, `clear` empties it.
 */
export class TextNumbers {
  readonly memory: LinearMemory;
  /** Address of the table for the kernel. */
  readonly offset: number;
  /** Maximum number of texts. */
  readonly most: number;
  readonly #entries: number;
  readonly #rests: number;
  readonly #notes: number;
  readonly #isForKernel: boolean;

  /**
   * @param most maximum number of texts, a power of two
   * @param isForKernel whether the kernel adds texts; otherwise only `take` gives numbers
   */
  constructor(memory: LinearMemory, most: number, isForKernel = true) {
    this.memory = memory;
    this.most = most;
    this.#isForKernel = isForKernel;
    this.offset = memory.allocate(headerBytes);
    const forKernel = (bytes: number) => (isForKernel ? memory.allocate(bytes) : 0);
    this.#entries = forKernel(2 * most * entryBytes);
    this.#rests = forKernel(restBytes);
    this.#notes = forKernel(4 * most * noteWords);
  }

  /** Number of texts, including reserved numbers. */
  get size(): number {
    return this.#header()[2]!;
  }

  /** Forgets all texts, after which numbers start at `first`. */
  clear(first: number): void {
    const entries = 2 * this.most;
    if (this.#isForKernel) {
      new Uint8Array(this.memory.buffer, this.#entries, entries * entryBytes).fill(0);
    }
    const rests = [this.#rests, this.#rests + restBytes, 0];
    this.#header().set([this.#entries, entries - 1, first, this.most, ...rests, this.#notes]);
  }

  /** Reserves numbers for texts unknown to the kernel, and returns the first one. */
  take(count: number): number {
    const first = this.size;
    this.#header()[2] = first + count;
    return first;
  }

  /**
   * Returns a copy of (address, length, column) of the first occurrence of each text, from a number
   * on.
   */
  notesFrom(first: number): Uint32Array {
    const words = noteWords * (this.size - first);
    return new Uint32Array(this.memory.buffer, this.#notes + 4 * noteWords * first, words).slice();
  }

  #header(): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.offset, headerBytes / 4);
  }
}

/** Maximum number of texts. */
const mostTexts = 2 ** 15;

/** Number of texts for which there is room at first: more memory would trigger collections of the whole heap. */
const leastTexts = 2 ** 10;

/** Number of texts whose rows are found per call. */
const atATime = 256;

/** Data required for the texts of a column. */
export interface TextColumn {
  /** Atoms that all satisfy `isOfText`. */
  readonly atoms: readonly Atom[];
  readonly rows: RowsOfTexts;
  /** Receives each new text with its number. */
  readonly named?: ((number: number, text: string) => void) | undefined;
}

export interface TextTableOptions {
  /** Whether texts may have JSON escapes. */
  readonly inJson: boolean;
  /** Whether the kernel adds texts; otherwise only `add` does. Default true. */
  readonly isForKernel?: boolean | undefined;
}

/** Rows of features that each depend on one text. */
export interface RowsOfTexts {
  /** Number of features per text. */
  readonly count: number;
  /**
   * Returns the row + 1 of each feature of each text, or 0.
   *
   * @param contents lo and hi of each atom, alternating, for each text
   */
  find(contents: readonly Int32Array[]): Uint32Array;
}

/**
 * Numbers the texts of columns, as written in cells or between the quotes of JSON strings, and
 * keeps a record per text: the values of its column's atoms, followed by the rows of the features
 * that depend only on this text. Most tokens have occurred before, and cost one lookup.
 *
 * The kernel adds texts (`assembly/records/texts.ts`); `describe` creates the records of new ones.
 * The table is bounded (`TextNumbers`). The first numbers represent the positions around a
 * sentence: `reach` before it, the furthest first, and `reach` after it, for each column.
 */
export class TextTable {
  readonly memory: LinearMemory;
  /**
   * Address of the records by text: lo and hi of each atom, followed by the row + 1, or 0, for each
   * template. They move when there are more texts.
   */
  records: number;
  readonly recordBytes: number;
  readonly #columns: readonly TextColumn[];
  readonly #reach: number;
  readonly #inJson: boolean;
  readonly #numbers: TextNumbers;
  readonly #hash = new Fingerprint();
  // A token may begin with the character that is a byte order mark at the start of a file.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Number of records for which there is room. */
  #capacity = leastTexts;
  #described = 0;
  #cleared = 0;

  constructor(
    memory: LinearMemory,
    columns: readonly TextColumn[],
    reach: number,
    { inJson, isForKernel }: TextTableOptions,
  ) {
    this.memory = memory;
    this.#columns = columns;
    this.#reach = reach;
    this.#inJson = inJson;
    const bytes = columns.map(({ atoms, rows }) => 8 * atoms.length + 4 * rows.count);
    this.recordBytes = 8 * Math.ceil(Math.max(...bytes) / 8);
    this.#numbers = new TextNumbers(memory, mostTexts, isForKernel);
    this.records = memory.allocate(this.#capacity * this.recordBytes);
    this.clear();
    this.#describeAround();
  }

  /** Address of the table for the kernel. */
  get offset(): number {
    return this.#numbers.offset;
  }

  /** Number of texts, including the positions around a sentence. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Number of times that all texts have been forgotten, which invalidates earlier numbers. */
  get cleared(): number {
    return this.#cleared;
  }

  /** Forgets all texts. */
  clear(): void {
    this.#described = this.#around;
    this.#numbers.clear(this.#described);
    this.#cleared += 1;
  }

  /**
   * Adds texts that neither the kernel nor the table has seen, with consecutive numbers, and
   * returns the first number. There must be room: see `clear`.
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

  /** Number of further texts that fit before all have to be forgotten. */
  get room(): number {
    return mostTexts - this.size;
  }

  /** Number of positions around a sentence, which have the first numbers. */
  get #around(): number {
    return 2 * this.#reach * this.#columns.length;
  }

  /** `room` once all texts have been forgotten. */
  get mostRoom(): number {
    return mostTexts - this.#around;
  }

  /** Creates the records of texts added since the last call; reads their original memory again. */
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

  /** Describes the positions around a sentence, where all atoms have the same values. */
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
    // Memory may have grown during the call.
    const found = rows.find(contents);
    this.#reserve();
    for (const [i, text] of texts.entries()) {
      const words = this.recordBytes / 4;
      const record = new Int32Array(this.memory.buffer, this.records + text * words * 4, words);
      record.set(contents[i]!);
      const own = found.subarray(i * rows.count, (i + 1) * rows.count);
      record.set(own, contents[i]!.length);
    }
  }

  /** Makes room for the records of all texts so far. */
  #reserve(): void {
    const old = this.#capacity;
    if (this.size <= old) return;
    while (this.#capacity < this.size) this.#capacity *= 2;
    const { memory, records, recordBytes } = this;
    this.records = memory.allocate(this.#capacity * recordBytes);
    new Uint8Array(memory.buffer).copyWithin(this.records, records, records + old * recordBytes);
    memory.free(records, old * recordBytes);
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
    // Shared memory is copied, because decoders reject it.
    const raw = this.#decoder.decode(this.memory.isShared ? bytes.slice() : bytes);
    return this.#inJson && raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
  }
}
