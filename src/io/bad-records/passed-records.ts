import type { BadRecord } from './bad-record.js';

/** A record that was read, and is not yet written or rejected. */
export interface OpenRecord {
  /** Of the record among all that are read. */
  readonly number: number;
  readonly settled: boolean;
}

/** A bad record that is to be written, and what to call when it is. */
export interface PassedRecord {
  readonly bad: BadRecord;
  readonly settle: () => void;
}

interface Entry {
  readonly number: number;
  /** Absent where the record is bad. */
  readonly open?: OpenRecord;
  readonly passed?: PassedRecord;
}

/**
 * Bad records on their way to the output, each in its place among the records that are tagged: it goes out once all before
 * it have, and before any behind it.
 *
 * @example
 * const lines = [];
 * const passed = new PassedRecords();
 * passed.onPassed = ({ bad }) => lines.push(bad);
 * const first = { number: 1, settled: false };
 * passed.open(first);
 * passed.add(2, { bad: 'two', settle: () => {} });
 * passed.open({ number: 3, settled: false });
 * lines // => []
 * passed.before(3);
 * lines // => ['two']
 */
export class PassedRecords {
  /** In the order of the input. */
  readonly #entries: Entry[] = [];
  /** Receives records when it is their turn; without it there are none to be written. */
  onPassed: ((passed: PassedRecord) => void) | undefined;

  /** A record was read. */
  open(record: OpenRecord): void {
    this.#put({ number: record.number, open: record });
  }

  /** A record has turned out to be bad. */
  add(number: number, passed: PassedRecord): void {
    this.#put({ number, passed });
    this.advance();
  }

  /** To be called when a record was settled. */
  advance(): void {
    while (this.#entries.length > 0) {
      const { open, passed } = this.#entries[0]!;
      if (open?.settled === false) return;
      this.#entries.shift();
      if (passed !== undefined) this.onPassed?.(passed);
    }
  }

  /** The record of this number is about to be written, so that all before it have had their turn. */
  before(number: number): void {
    while (this.#entries.length > 0 && this.#entries[0]!.number < number) {
      const { passed } = this.#entries.shift()!;
      if (passed !== undefined) this.onPassed?.(passed);
    }
  }

  #put(entry: Entry): void {
    const entries = this.#entries;
    let at = entries.length;
    while (at > 0 && entries[at - 1]!.number > entry.number) at -= 1;
    const isThere = entries[at - 1]?.number === entry.number;
    if (isThere) entries[at - 1] = entry;
    else entries.splice(at, 0, entry);
  }
}
