/** What separates the columns of a row: any run of blanks and tabs, or one character. */
export type CellSeparator = 'whitespace' | 'tab' | 'comma' | 'semicolon';

const characters = { whitespace: ' ', tab: '\t', comma: ',', semicolon: ';' } as const;

/** What is written between two cells. */
export function betweenCells(separator: CellSeparator): string {
  return characters[separator];
}

/** Whether cells may be quoted, as in CSV (RFC 4180). */
export function hasQuotes(separator: CellSeparator): boolean {
  return separator === 'comma' || separator === 'semicolon';
}

/**
 * The cells of a row of CSV: one that begins with a quotation mark ends at the next single one, and two in a row stand
 * for one. What follows until the delimiter belongs to the cell, as it does for Python. Cost O(characters).
 *
 * @example
 * splitDelimited('"New, York",B-LOC', ',') // => ['New, York', 'B-LOC']
 * splitDelimited('"""",``', ',') // => ['"', '``']
 */
export function splitDelimited(row: string, delimiter: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let cell = '';
    if (row[at] === '"') {
      at += 1;
      for (; at < row.length; at += 1) {
        if (row[at] === '"' && row[++at] !== '"') break;
        cell += row[at] ?? '';
      }
    }
    const end = row.indexOf(delimiter, at);
    cells.push(cell + row.slice(at, end < 0 ? row.length : end));
    if (end < 0) return cells;
    at = end + 1;
  }
}

/**
 * Whether a row ends within quotation marks, so that its last cell goes on in the next line.
 *
 * @example
 * ['"a', '"a"', '5" pipe,O', '"""'].map(row => endsInQuotes(row, ',')) // => [true, false, false, true]
 */
export function endsInQuotes(row: string, delimiter: string): boolean {
  if (!row.includes('"')) return false;
  for (let at = 0; ; at += 1) {
    if (row[at] === '"') {
      at += 1;
      for (;;) {
        const end = row.indexOf('"', at);
        if (end < 0) return true;
        at = end + 1;
        if (row[at] !== '"') break;
        at += 1;
      }
    }
    at = row.indexOf(delimiter, at);
    if (at < 0) return false;
  }
}

/** A value as `splitDelimited` reads it back: in quotation marks where it needs them. */
export function quotedCell(value: string, delimiter: string): string {
  const isPlain = !value.includes('"') && !value.includes(delimiter);
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}
