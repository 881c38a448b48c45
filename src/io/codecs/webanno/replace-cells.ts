import { spansOf } from '../../../text/tags/spans.js';
import type { WebannoFormat } from './webanno-options.js';
import { cellLabels, cellOf, ownCells } from './webanno-rows.js';

/**
 * The lines of a sentence with other labels in their column; all else stays byte for byte, and so does the cell of a token whose
 * label does. Labels of parts of tokens go.
 */
export function replaceCells(
  raw: string,
  tags: readonly string[],
  { column, spans }: Pick<WebannoFormat, 'column' | 'spans'>,
): string {
  const index = ownCells - 1 + column;
  const rows = raw.split('\n');
  const places = rows.flatMap((row, i) => (/^\d+-\d+\t/.test(row) ? [i] : []));
  const sentence = Number(/^\d+/.exec(rows[places[0] ?? 0] ?? '')?.[0] ?? 0);
  const labels = spans ? spanCells(tags, sentence) : tags.map(tag => cellOf(tag, undefined));
  const before = places.map(i => rows[i]!.split('\t')[index]!);
  const isSame = spans && sameSpans(before, labels);
  if (isSame) return raw;
  for (const [t, i] of places.entries()) {
    const cells = rows[i]!.split('\t');
    const isKept = cells[index] === labels[t];
    if (!isKept) cells[index] = labels[t] ?? '_';
    rows[i] = cells.join('\t');
  }
  return rows
    .map(row => {
      if (!/^\d+-\d+\.\d+\t/.test(row)) return row;
      const cells = row.split('\t');
      if (cells[index] !== undefined) cells[index] = '_';
      return cells.join('\t');
    })
    .join('\n');
}

/** Keys of spans are numbers that no other sentence has. */
const keysOfSentence = 10_000;

function spanCells(tags: readonly string[], sentence: number): string[] {
  const cells: string[] = tags.map(() => '_');
  for (const [n, { label, start, end }] of spansOf(tags).entries()) {
    const key = end - start === 1 ? undefined : sentence * keysOfSentence + n + 1;
    for (let t = start; t < end; t += 1) cells[t] = cellOf(label, key);
  }
  return cells;
}

/** Whether cells mark the same spans, whatever their keys. */
function sameSpans(before: readonly string[], now: readonly string[]): boolean {
  const shape = (cells: readonly string[]) => {
    const keys = new Map<string, number>();
    return cells
      .map(cell =>
        cellLabels(cell)
          .map(({ label, key }) => {
            if (key === undefined) return `${label} alone`;
            if (!keys.has(key)) keys.set(key, keys.size);
            return `${label} ${keys.get(key)}`;
          })
          .join('|'),
      )
      .join('\t');
  };
  return shape(before) === shape(now);
}
