/** Rows that are remembered: those of the highest numbers, as a minibatch may be this much behind. */
const most = 64;

interface Row {
  first: number;
  last: number;
}

/**
 * Rows of bad records: numbers that follow each other without a gap. They may be added out of order.
 *
 * @example
 * const rows = new BadRows();
 * [rows.add(1), rows.add(2), rows.add(4), rows.add(3)] // => [1, 2, 1, 4]
 */
export class BadRows {
  /** In ascending order, with a gap between each two. */
  readonly #rows: Row[] = [];

  /**
   * Adds the number of a record, once.
   *
   * @returns how many there are in its row
   */
  add(number: number): number {
    const rows = this.#rows;
    let at = rows.length;
    while (at > 0 && rows[at - 1]!.first > number) at -= 1;
    const before = rows[at - 1];
    const after = rows[at];
    const joinsAfter = after?.first === number + 1;
    if (before?.last === number - 1) {
      before.last = joinsAfter ? after.last : number;
      if (joinsAfter) rows.splice(at, 1);
      return before.last - before.first + 1;
    }
    if (joinsAfter) {
      after.first = number;
      return after.last - after.first + 1;
    }
    rows.splice(at, 0, { first: number, last: number });
    if (rows.length > most) rows.shift();
    return 1;
  }
}
