/**
 * Rows as aligned lines: the first column to the left, all others to the right.
 *
 * @example
 * textTable([['tag', 'gold'], ['NOUN', '7']]) // => 'tag   gold\nNOUN     7\n'
 */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]!.length), 0),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  return rows.map(row => `${line(row)}\n`).join('');
}
