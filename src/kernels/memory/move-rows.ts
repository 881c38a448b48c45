import type { RealTable } from './real-table.js';

/** Moves every row to `target(row)` in a table of `rows` rows of `width` lanes. */
export function moveRows(
  table: RealTable,
  width: number,
  rows: number,
  target: (row: number) => number,
): void {
  const oldWidth = table.width;
  const old = table.view.slice();
  table.reset(rows, width);
  const view = table.view;
  for (let row = 0; row * oldWidth < old.length; row += 1) {
    const to = target(row) * width;
    if (to + oldWidth <= view.length) {
      view.set(old.subarray(row * oldWidth, (row + 1) * oldWidth), to);
    }
  }
}
