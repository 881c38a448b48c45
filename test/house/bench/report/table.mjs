/**
 * Lines of a table in columns: the first to the left, the others to the right. Columns of which no row
 * has anything are left out.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 * @returns {string}
 */
export function table(head, rows) {
  const shown = head.map((_, column) => column === 0 || rows.some(row => row[column] !== ''));
  const cells = [head, ...rows].map(row => row.filter((_, column) => shown[column]));
  const widths = cells[0].map((_, column) => Math.max(...cells.map(row => row[column].length)));
  const line = row =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  return cells.map(row => `${line(row)}\n`).join('');
}
