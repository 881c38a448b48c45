/** Prints rows in columns on the standard output. */
export function table(head, rows) {
  const cells = [head, ...rows.map(row => Object.values(row).map(show))];
  const widths = head.map((_, column) => Math.max(...cells.map(row => row[column].length)));
  for (const row of cells) {
    const line = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
    process.stdout.write(`${line.join('  ')}\n`);
  }
  process.stdout.write('\n');
}

function show(value) {
  if (typeof value !== 'number') return String(value);
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
