import { TagstreamError } from '../../../core/errors.js';
import type { Document } from '../../../core/sentence/document.js';
import { counted } from '../../../core/wording/counted.js';
import type { Line } from '../../lines/line-splitter.js';
import type { DocumentDraft } from '../codec.js';
import { readTagCells, type TagCells } from '../tag-cells.js';
import {
  attributeOf,
  type ConlluColumn,
  conlluColumns,
  conlluWidth,
  type TagPlace,
  withAttribute,
} from './conllu-columns.js';

const commentKey = /^#\s*(sent_id|text|weight)\s*=\s*(.*)$/;

/**
 * The document that a CoNLL-U sentence describes: the words as tokens, `sent_id` as id, `text` as text,
 * `tag` as gold tags (none where all are `_` and that is no value, or unknown), `weight` as weight of a labelled sentence (NaN
 * where it is not a number), `newdoc` as the start of a document, the other columns by their names. Multiword tokens and
 * empty nodes are not tokens; they stay in the raw record.
 *
 * @throws TagstreamError `wrong-shape` that names the row with a wrong id or number of columns,
 * `empty-sentence` if there is no word
 */
export function readSentence(
  lines: readonly Line[],
  { column, attribute }: TagPlace,
  tagCells: TagCells,
): DocumentDraft {
  const draft: DocumentDraft = {};
  const tokens: string[] = [];
  const columns = conlluColumns.map((): string[] => []);
  for (const line of lines) {
    if (line.text.startsWith('#')) {
      readComment(draft, line.text);
      continue;
    }
    const cells = line.text.split('\t');
    if (!isWord(cells, line)) continue;
    tokens.push(cells[1]!);
    for (let i = 0; i < columns.length; i += 1) columns[i]!.push(cells[i + 2]!);
  }
  if (tokens.length === 0) {
    throw new TagstreamError('empty-sentence', 'the sentence has no words');
  }
  const byName = Object.fromEntries(conlluColumns.map((name, i) => [name, columns[i]!]));
  const cells = byName[column]!;
  draft.tokens = tokens;
  draft.columns = byName;
  if (attribute === undefined) {
    delete byName[column];
    const isTagged = tagCells.outside === '_' || isLabelled(column, cells, tokens, byName);
    if (isTagged) Object.assign(draft, readTagCells(cells, tagCells));
  } else {
    // What is left of the column does not tell the tags.
    byName[column] = cells.map(cell => withAttribute(cell, attribute, undefined));
    const tags = cells.map(cell => attributeOf(cell, attribute) ?? 'O');
    Object.assign(draft, readTagCells(tags, tagCells));
  }
  if (draft.tags === undefined && draft.partialTags === undefined) delete draft.weight;
  return draft;
}

/** Names of what `readSentence` leaves out: comments of other keys, multiword tokens, empty nodes. */
export function unreadLines({ raw, weight }: Document): readonly string[] {
  return raw!.split('\n').flatMap(line => {
    if (!line.startsWith('#')) {
      if (/^\d+-/.test(line)) return ['multiword tokens'];
      return /^\d+\./.test(line) ? ['empty nodes'] : [];
    }
    if (/^#\s*newdoc\s*$/.test(line)) return [];
    const [, read] = commentKey.exec(line) ?? [];
    if (read !== undefined && (read !== 'weight' || weight !== undefined)) return [];
    const [, key] = /^#\s*([^=]*?)\s*(?:=|$)/.exec(line) ?? [];
    return [`# ${key === undefined || key.length > 40 || !line.includes('=') ? 'comments' : key}`];
  });
}

/**
 * Whether a sentence has values in a column, of which `_` may be one: where its words have parts of speech, no features and no
 * remark are values of FEATS and MISC, and `_` is the lemma of the word `_`. In all other columns `_` stands for what is not
 * known.
 */
function isLabelled(
  column: ConlluColumn,
  values: readonly string[],
  tokens: readonly string[],
  { upos, xpos }: Readonly<Partial<Record<ConlluColumn, readonly string[]>>>,
): boolean {
  if (values.some(value => value !== '_')) return true;
  const hasParts = [upos, xpos].some(parts => parts?.some(part => part !== '_'));
  if (column === 'feats' || column === 'misc') return hasParts;
  return column === 'lemma' && hasParts && tokens.every(token => token === '_');
}

function readComment(draft: DocumentDraft, comment: string): void {
  if (/^#\s*newdoc\b/.test(comment)) draft.startsDocument = true;
  const [, key, value] = commentKey.exec(comment) ?? [];
  if (value === undefined || value === '') return;
  if (key === 'text') draft.text = value;
  else if (key === 'weight') draft.weight = Number(value);
  else draft.id = value;
}

function isWord(cells: readonly string[], line: Line): boolean {
  const place = { line: line.number };
  if (cells.length !== conlluWidth) {
    const problem = `a row of ${counted(cells.length, 'column')} where ${conlluWidth} were expected`;
    throw new TagstreamError('wrong-shape', problem, {
      place,
      fix: 'CoNLL-U has ten columns, one tab between each',
    });
  }
  const id = cells[0]!;
  if (/^\d+$/.test(id)) return true;
  if (/^\d+[-.]\d+$/.test(id)) return false;
  throw new TagstreamError('wrong-shape', `invalid row id ${JSON.stringify(id.slice(0, 40))}`, {
    place,
    fix: 'an id is a number (1), a range (1-2) or an empty node (1.1)',
  });
}
