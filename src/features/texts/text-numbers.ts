import type { LinearMemory } from '../../kernels/memory/linear-memory.js';

const headerBytes = 32;
const entryBytes = 32;
const noteWords = 3;

/** Bytes past the first 16 of all texts. */
const restBytes = 2 ** 20;

/**
 * Numbers of texts, in the order in which the kernel meets them (`assembly/records/texts.ts`). What is held is bounded:
 * where there is no more room, `clear` forgets all of it.
 */
export class TextNumbers {
  readonly memory: LinearMemory;
  /** Where the kernel finds the table. */
  readonly offset: number;
  /** Texts that are held at most. */
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

  /** Texts that there are, with the numbers that are none's. */
  get size(): number {
    return this.#header()[2]!;
  }

  /** Forgets all texts; numbers begin with `first` then. */
  clear(first: number): void {
    const entries = 2 * this.most;
    new Uint8Array(this.memory.buffer, this.#entries, entries * entryBytes).fill(0);
    const rests = [this.#rests, this.#rests + restBytes, 0];
    this.#header().set([this.#entries, entries - 1, first, this.most, ...rests, this.#notes]);
  }

  /** Numbers for texts that the kernel does not meet; returns the first of them. */
  take(count: number): number {
    const first = this.size;
    this.#header()[2] = first + count;
    return first;
  }

  /** (address, length, column) of each text from a number on, where it was met: a copy. */
  notesFrom(first: number): Uint32Array {
    const words = noteWords * (this.size - first);
    return new Uint32Array(this.memory.buffer, this.#notes + 4 * noteWords * first, words).slice();
  }

  #header(): Uint32Array {
    return new Uint32Array(this.memory.buffer, this.offset, headerBytes / 4);
  }
}
