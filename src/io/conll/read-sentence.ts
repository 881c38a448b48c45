import { TagstreamError } from '../../core/errors.js';
import type { DocumentDraft } from '../codec.js';
import type { Line } from '../line-splitter.js';
import { type ConllLayout, splitRow } from './conll-options.js';

/**
 * The document that the rows of a sentence describe. A tag that is left out counts as `_`; a gold column of nothing but `_` means that the
 * sentence is unlabelled.
 *
 * @throws TagstreamError `wrong-shape` that names the row with a wrong number of columns
 */
export function readSentence(lines: readonly Line[], layout: ConllLayout): DocumentDraft {
  const { columns, formIndex, tagIndex, otherIndexes, separator, leastCells, comment } = layout;
  const tokens: string[] = [];
  const tags: string[] = [];
  const others = otherIndexes.map((): string[] => []);
  for (const line of lines) {
    if (comment !== undefined && line.text.startsWith(comment)) continue;
    const cells = splitRow(line.text, separator);
    if (cells.length !== columns.length && cells.length !== leastCells) {
      throw wrongRow(line, cells.length, columns);
    }
    tokens.push(cells[formIndex]!);
    if (tagIndex >= 0) tags.push(cells[tagIndex] ?? '_');
    for (let i = 0; i < otherIndexes.length; i += 1) others[i]!.push(cells[otherIndexes[i]!]!);
  }
  const draft: DocumentDraft = { tokens };
  if (otherIndexes.length > 0) {
    draft.columns = Object.fromEntries(
      otherIndexes.map((index, i) => [columns[index]!, others[i]!]),
    );
  }
  if (tags.some(tag => tag !== '_')) draft.tags = tags;
  return draft;
}

function wrongRow(line: Line, found: number, columns: readonly string[]): TagstreamError {
  const problem = `a row of ${found} columns where ${columns.length} were expected`;
  return new TagstreamError('wrong-shape', problem, {
    place: { line: line.number },
    fix: `each row is: ${columns.join(' ')}; a blank line ends a sentence`,
  });
}
