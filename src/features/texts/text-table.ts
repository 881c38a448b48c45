import type { LinearMemory } from '../../kernels/linear-memory.js';
import type { Atom } from '../atom.js';
import { Fingerprint } from '../fingerprint.js';

const headerBytes = 32;
const entryBytes = 32;
const noteBytes = 12;

/** Texts that are held at most, entries for them, and bytes past the first 16 of each. */
const mostTexts = 2 ** 15;
const entries = 2 ** 16;
const restBytes = 2 ** 20;

/**
 * Numbers of the texts of columns, as they stand between the quotes of JSON strings, and for each text what
 * the atoms of its column find in it: most tokens have been met before, and cost one lookup then.
 *
 * The kernel adds texts (`assembly/records/texts.ts`); `describe` hashes those that are new. What is held is
 * bounded: where there is no more room, `clear` forgets all of it.
 */
export class TextTable {
  readonly memory: LinearMemory;
  /** Where the kernel finds the table. */
  readonly offset: number;
  /** Hashes by text: lo and hi for each atom of its column. */
  readonly contents: number;
  /** Bytes of the hashes of a text. */
  readonly contentBytes: number;
  readonly #columns: readonly (readonly Atom[])[];
  readonly #entries: number;
  readonly #rests: number;
  readonly #notes: number;
  readonly #hash = new Fingerprint();
  // A token may begin with what is a byte order mark at the start of a file.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #described = 0;

  /** @param columns for each column its atoms, of which each `isOfText` */
  constructor(memory: LinearMemory, columns: readonly (readonly Atom[])[]) {
    this.memory = memory;
    this.#columns = columns;
    this.contentBytes = 8 * Math.max(1, ...columns.map(atoms => atoms.length));
    this.offset = memory.allocate(headerBytes);
    this.#entries = memory.allocate(entries * entryBytes);
    this.#rests = memory.allocate(restBytes);
    this.#notes = memory.allocate(mostTexts * noteBytes);
    this.contents = memory.allocate(mostTexts * this.contentBytes);
    this.clear();
  }

  /** Texts that there are. */
  get size(): number {
    return this.#header()[2]!;
  }

  /** Forgets all texts. */
  clear(): void {
    new Uint8Array(this.memory.buffer, this.#entries, entries * entryBytes).fill(0);
    const rests = [this.#rests, this.#rests + restBytes, 0];
    this.#header().set([this.#entries, entries - 1, 0, mostTexts, ...rests, this.#notes]);
    this.#described = 0;
  }

  /**
   * Hashes the texts that have been added since the last call; the memory that they were read from is read
   * once more.
   */
  describe(): void {
    const { size } = this;
    if (size === this.#described) return;
    const { buffer } = this.memory;
    const notes = new Uint32Array(buffer, this.#notes, 3 * size);
    const contents = new Int32Array(buffer, this.contents, (size * this.contentBytes) / 4);
    const words = this.contentBytes / 4;
    for (let number = this.#described; number < size; number += 1) {
      const [address, length, column] = notes.subarray(3 * number, 3 * number + 3);
      const text = this.#textOf(new Uint8Array(buffer, address, length));
      this.#hashTo(contents, number * words, text, this.#columns[column!]!);
    }
    this.#described = size;
  }

  #hashTo(contents: Int32Array, place: number, text: string, atoms: readonly Atom[]): void {
    const hash = this.#hash;
    for (const [i, atom] of atoms.entries()) {
      const present = atom.hash(text, hash);
      contents[place + 2 * i] = present ? hash.lo : 0;
      contents[place + 2 * i + 1] = present ? hash.hi : 0;
    }
  }

  /** The text that stands between the quotes of a JSON string. */
  #textOf(bytes: Uint8Array): string {
    // A copy where threads share the memory, which a decoder does not take.
    const raw = this.#decoder.decode(this.memory.isShared ? bytes.slice() : bytes);
    return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  #header(): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.offset, headerBytes / 4);
  }
}
