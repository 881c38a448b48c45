import { type Figure, figureText } from '../engine/core/figures.js';
import { visible } from '../engine/text/visible.js';

/**
 * Formats rows as aligned lines: the first column is left-aligned, all others are right-aligned; control characters are
 * escaped.
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

/** Returns a percentage with two digits: `93.70`; `-` if it is undefined. */
export function points(percentage: Figure | undefined): string {
  return figureText(percentage);
}

/** Returns a difference in points with its sign: `+0.52`. Zero is `+0.00`, to distinguish it from a score. */
export function signed(difference: Figure): string {
  if (difference === null) return '-';
  const text = Math.abs(difference).toFixed(2);
  return `${difference < 0 && Number(text) > 0 ? '-' : '+'}${text}`;
}

/** Formats a p-value: `p = 0.031`, or `p < 0.001`. */
export function pValueText(p: Figure): string {
  if (p === null) return 'p undefined';
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`;
}

/** Returns the last part of a path. */
export function fileName(path: string): string {
  return path.split(/[/\\]/).findLast(part => part !== '') ?? path;
}

/** Returns a coordinate rounded to a tenth of a pixel. */
export function drawn(coordinate: number): number {
  return Math.round(10 * coordinate) / 10;
}
