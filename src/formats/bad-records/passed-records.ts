import type { BadRecord } from './bad-record.js';

/** A record that was read but not yet written or rejected. */
export interface OpenRecord {
  /** Number among all records read. */
  readonly number: number;
  readonly settled: boolean;
}

/** A bad record to be written, and a callback for its completion. */
export interface PassedRecord {
  readonly bad: BadRecord;
  readonly settle: () => void;
}

interface Entry {
  readonly number: number;
  /** The good record; absent if it is bad. */
  readonly open?: OpenRecord;
  readonly passed?: PassedRecord;
}

/**
 * Bad records on their way to the output, in order with the tagged records: each is emitted after all earlier records
 * and before all later ones.
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
  /** Entries in input order. */
  readonly #entries: Entry[] = [];
  /** Called with each bad record in turn; if undefined, none are written. */
  onPassed: ((passed: PassedRecord) => void) | undefined;

  /** Registers a record that has been read. */
  open(record: OpenRecord): void {
    this.#put({ number: record.number, open: record });
  }

  /** Registers a record as bad. */
  add(number: number, passed: PassedRecord): void {
    this.#put({ number, passed });
    this.advance();
  }

  /** Emits the bad records whose turn has come; called when a record has been settled. */
  advance(): void {
    while (this.#entries.length > 0) {
      const { open, passed } = this.#entries[0]!;
      if (open?.settled === false) return;
      this.#entries.shift();
      if (passed !== undefined) this.onPassed?.(passed);
    }
  }

  /** Emits all bad records before a number; called before the record with this number is written. */
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
