import type { Position } from '../../core/delivery/delivery.js';

/** A record on its way, and those after it that it stands for. */
export interface PrefixEntry {
  /** Acknowledged or rejected. */
  readonly settled: boolean;
  /** Of the last record that it stands for. */
  last: Position;
  /** What was opened after it; set by the prefix. */
  following?: PrefixEntry | undefined;
}

/**
 * Records in the order of the input, and how far all of them are settled: what may be recorded as the
 * position to resume after. Constant time per record, in the mean.
 *
 * @example
 * const ends = [];
 * const prefix = new AcknowledgedPrefix(position => ends.push(position.end));
 * const record = end => ({ last: { source: 'a', line: 1, start: 0, end }, settled: false });
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
  #first: PrefixEntry | undefined;
  #last: PrefixEntry | undefined;

  constructor(onAdvance: (position: Position) => void) {
    this.#onAdvance = onAdvance;
  }

  /** Adds the record that comes next in the input. */
  open(entry: PrefixEntry): void {
    if (this.#last === undefined) this.#first = entry;
    else this.#last.following = entry;
    this.#last = entry;
  }

  /** Lets `entry` stand for `next` as well; false if others that are open lie between. */
  absorb(entry: PrefixEntry, next: PrefixEntry): boolean {
    let following = entry.following;
    while (following !== next && following?.settled === true) following = following.following;
    if (following !== next || entry.settled || next.settled) return false;
    entry.last = next.last;
    entry.following = next.following;
    next.following = undefined;
    if (this.#last === next) this.#last = entry;
    return true;
  }

  /** To be called when a record was settled. */
  advance(): void {
    let end: Position | undefined;
    while (this.#first?.settled === true) {
      const passed = this.#first;
      this.#first = passed.following;
      // A record that holds several documents is settled with the last of them.
      if (!isSameRecord(passed.last, this.#first?.last)) end = passed.last;
      // What is done with must not hold on to what comes: of such a chain nothing is collected early.
      passed.following = undefined;
    }
    if (this.#first === undefined) this.#last = undefined;
    if (end !== undefined) this.#onAdvance(end);
  }
}

function isSameRecord(one: Position, other: Position | undefined): boolean {
  return other?.start === one.start && other.source === one.source && other.cursor === one.cursor;
}
