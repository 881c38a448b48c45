import { TagstreamError } from '../../../engine/core/errors.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { documentMark } from '../../lines/line-bytes.js';
import type { Line } from '../../lines/line-splitter.js';
import type { DocumentDraft } from '../codec.js';
import { emptyCell, readTagCells, requireTag } from '../tag-cells.js';
import {
  betweenCells,
  type ConllLayout,
  endsInQuotes,
  hasQuotes,
  sentenceNumber,
} from './conll-layout.js';

/**
 * Builds a document from a sentence's rows. A missing tag is unknown if a text for unknown tags is configured,
 * otherwise `_`; a gold column of only `_` or unknown tags means that the sentence is unlabelled. The sentence number
 * becomes its id.
 *
 * @throws TagstreamError `wrong-shape` that names a row with a wrong number of columns, an empty token or tag, or an invalid
 *   tag cell
 */
export function readSentence(lines: readonly Line[], layout: ConllLayout): DocumentDraft {
  const { columns, formIndex, tagIndex, sentenceIndex, otherIndexes, separator, leastCells } =
    layout;
  const { tagCells } = layout;
  const tokens: string[] = [];
  const tags: string[] = [];
  const others = otherIndexes.map((): string[] => []);
  let id: string | undefined;
  let hasTags = false;
  for (const line of lines) {
    if (layout.isComment(line.text)) continue;
    if (hasQuotes(separator) && endsInQuotes(line.text, betweenCells(separator)))
      throw inQuotes(line);
    const cells = layout.cells(line.text);
    if (cells.length !== columns.length && cells.length !== leastCells) {
      throw wrongRow(line, cells.length, columns);
    }
    if (sentenceIndex >= 0) id ??= sentenceNumber(cells[sentenceIndex]);
    const form = cells[formIndex]!;
    if (form === '') throw emptyCell(columns[formIndex]!, line.number, 'write the token');
    tokens.push(form);
    const tag = cells[tagIndex];
    if (tag !== undefined) requireTag(tag, 'tag', line.number);
    hasTags ||= tag !== undefined;
    if (tagIndex >= 0) tags.push(tag ?? tagCells.unknown ?? '_');
    for (let i = 0; i < otherIndexes.length; i += 1) {
      others[i]!.push(cells[otherIndexes[i]!]!);
    }
  }
  const draft: DocumentDraft = { tokens };
  if (otherIndexes.length > 0) {
    draft.columns = Object.fromEntries(
      otherIndexes.map((index, i) => [columns[index]!, others[i]!]),
    );
  }
  const isOutside = tagCells.outside === '_' && hasTags && tags.length > 0;
  if (isOutside || tags.some(tag => tag !== '_'))
    Object.assign(draft, readTagCells(tags, tagCells));
  if (id !== undefined) draft.id = id;
  return draft;
}

/** Names the parts that `readSentence` omits: comments, and columns not in the layout. */
export function unreadRows(raw: string, layout: ConllLayout): readonly string[] {
  const { columns, comment } = layout;
  const hasComment =
    comment !== undefined &&
    raw.split('\n').some(row => layout.isComment(row) && !row.startsWith(documentMark));
  const unnamed = columns.flatMap((name, i) => (name === '_' ? [`column ${i + 1}`] : []));
  return hasComment ? [...unnamed, 'comments'] : unnamed;
}

/** Returns the error for a CSV cell with a line end, which a token may not contain. */
function inQuotes(line: Line): TagstreamError {
  return new TagstreamError('wrong-shape', 'a quoted cell is not closed on its line', {
    place: { line: line.number },
    fix: 'a cell cannot contain a line break: join the lines, or double quotation marks inside the cell',
  });
}

function wrongRow(line: Line, found: number, columns: readonly string[]): TagstreamError {
  const problem = `${counted(found, 'column')} in a row, expected ${columns.length}`;
  return new TagstreamError('wrong-shape', problem, {
    place: { line: line.number },
    fix: `write each row as ${columns.join(' ')}; a blank line ends a sentence`,
  });
}
