import { visible } from '../../engine/text/visible.js';

/** Text of a cell, and a style applied after padding. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** Alignment of columns. */
export interface AlignOptions {
  /** Indices of right-aligned columns. */
  readonly right?: readonly number[];
  /** Text at the start of each line. */
  readonly indent?: string;
}

/**
 * Formats a table as lines, with columns as wide as their widest cell, separated by two spaces.
 * Control characters are shown as `\u{...}`, so that tokens cannot control the terminal.
 *
 * @example
 * aligned([['a', '10'], ['bcd', '9']], { right: [1] }) // => ['a    10', 'bcd   9']
 */
export function aligned(
  rows: readonly (readonly (string | Cell)[])[],
  { right = [], indent = '' }: AlignOptions = {},
): string[] {
  const cells = rows.map(row =>
    row.map(cell => {
      const { text, paint } = typeof cell === 'string' ? { text: cell, paint: undefined } : cell;
      const shown = visible(text);
      return { text: shown, paint, width: Array.from(shown).length };
    }),
  );
  const widths: number[] = [];
  for (const row of cells) {
    for (const [i, { width }] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width);
  }
  return cells.map(row => {
    const padded = row.map(({ text, paint, width }, i) => {
      const space = ' '.repeat(widths[i]! - width);
      const painted = paint === undefined ? text : paint(text);
      if (right.includes(i)) return space + painted;
      return i === row.length - 1 ? painted : painted + space;
    });
    return (indent + padded.join('  ')).trimEnd();
  });
}
