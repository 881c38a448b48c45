import type { Position } from '../core/delivery.js';

/** A record on its way: `settled` once it is acknowledged or rejected. */
export interface Settleable {
  readonly position: Position;
  readonly settled: boolean;
}

/**
 * Records in the order of the input, and how far all of them are settled: what may be recorded as the
 * position to resume after. Constant time a record, in the mean.
 *
 * @example
 * const ends = [];
 * const prefix = new AcknowledgedPrefix(position => ends.push(position.end));
 * const record = end => ({ position: { source: 'a', line: 1, start: 0, end }, settled: false });
 * const [first, second] = [record(5), record(9)];
 * prefix.open(first);
 * prefix.open(second);
 * second.settled = true;
 * prefix.advance();
 * ends // => []
 * first.settled = true;
 * prefix.advance();
 * ends // => [9]
 */
export class AcknowledgedPrefix {
  readonly #onAdvance: (position: Position) => void;
  #records: Settleable[] = [];
  #head = 0;

  constructor(onAdvance: (position: Position) => void) {
    this.#onAdvance = onAdvance;
  }

  /** Adds the record that comes next in the input. */
  open(record: Settleable): void {
    this.#records.push(record);
  }

  /** To be called when a record was settled. */
  advance(): void {
    const before = this.#head;
    while (this.#head < this.#records.length && this.#records[this.#head]!.settled) this.#head += 1;
    if (this.#head === before) return;
    const { position } = this.#records[this.#head - 1]!;
    if (this.#head >= 1024 && 2 * this.#head >= this.#records.length) {
      this.#records = this.#records.slice(this.#head);
      this.#head = 0;
    }
    this.#onAdvance(position);
  }
}
