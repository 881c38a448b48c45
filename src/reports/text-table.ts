import { visible } from '../text/visible.js';

/**
 * Rows as aligned lines: the first column to the left, all others to the right; control characters are
 * spelled out.
 *
 * @example
 * textTable([['tag', 'gold'], ['NOUN', '7']]) // => 'tag   gold\nNOUN     7\n'
 */
export function textTable(rows: readonly (readonly string[])[]): string {
  const shown = rows.map(row => row.map(visible));
  const widths = shown[0]!.map((_, column) =>
    shown.reduce((most, row) => Math.max(most, row[column]!.length), 0),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  return shown.map(row => `${line(row)}\n`).join('');
}
