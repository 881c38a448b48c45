import { TagstreamError } from '../../core/errors.js';
import type { Document, Range } from '../../core/sentence/document.js';

/** Receives a value that a format could not hold, and what was written in its place. */
export type OnReplaced = (value: string, written: string) => void;

/** Receives the name of a field, column or comment that a format does not hold; it may come more than once for a record. */
export type OnDropped = (name: string) => void;

/**
 * A value as a format with cells and lines can hold it: each run of characters that would break them is written
 * as `by`. Half of a surrogate pair, which UTF-8 cannot hold, is written as U+FFFD by any output; it becomes so
 * here where somebody wants to know.
 *
 * @example
 * const found = [];
 * const note = (value, written) => found.push([value, written]);
 * plainCell('a\tb', /[\t\r\n]+/g, '_', note) // => 'a_b'
 * plainCell('\ud83d', /[\t\r\n]+/g, '_', note) // => '\ufffd'
 * found // => [['a\tb', 'a_b'], ['\ud83d', '\ufffd']]
 */
export function plainCell(
  value: string,
  breaking: RegExp,
  by: string,
  onReplaced: OnReplaced | undefined,
): string {
  const cell = value.replace(breaking, by);
  if (onReplaced === undefined) return cell;
  const written = cell.replace(loneSurrogate, '\ufffd');
  if (written !== value) onReplaced(value, written);
  return written;
}

const loneSurrogate = /\p{Surrogate}/gu;

/** What a document may hold besides its columns, as reports name it, and whether one does. */
const parts = {
  id: ({ id }) => id !== undefined,
  text: ({ text }) => text !== undefined,
  tokens: ({ tokens }) => tokens !== undefined,
  offsets: ({ offsets }) => offsets !== undefined,
  sentences: ({ sentences }) => sentences !== undefined,
  words: ({ multiword }) => multiword !== undefined,
  tags: ({ tags, partialTags }) => tags !== undefined || partialTags !== undefined,
  spans: ({ spans }) => spans !== undefined,
  weight: ({ weight }) => weight !== undefined,
  constraints: ({ constraints }) => constraints !== undefined,
  links: ({ links }) => links !== undefined,
  document: ({ documentId }) => documentId !== undefined,
  'start of a document': ({ startsDocument }) => startsDocument === true,
} as const satisfies Readonly<Record<string, (document: Document) => boolean>>;

/** A part of a document that is no column. */
export type DocumentPart = keyof typeof parts;

/**
 * Names what a document has and a format does not hold; a column as `columns.NAME`.
 *
 * @param held what the format holds
 * @param holdsColumn whether it holds a column
 * @example
 * const found = [];
 * const document = { id: '1', tokens: ['a'], columns: { pos: ['N'], lemma: ['a'] } };
 * reportLeftOut(document, new Set(['tokens']), name => name === 'pos', name => found.push(name));
 * found // => ['id', 'columns.lemma']
 */
export function reportLeftOut(
  document: Document,
  held: ReadonlySet<DocumentPart>,
  holdsColumn: (name: string) => boolean,
  onDropped: OnDropped | undefined,
): void {
  if (onDropped === undefined) return;
  for (const [name, has] of Object.entries(parts)) {
    if (!held.has(name as DocumentPart) && has(document)) onDropped(name);
  }
  for (const name of Object.keys(document.columns ?? {})) {
    if (!holdsColumn(name)) onDropped(`columns.${name}`);
  }
}

/**
 * The tokens of a document that `format` cannot do without.
 *
 * @throws TagstreamError `wrong-shape` if they are not known, `empty-sentence` if there are none
 * @example
 * requireTokens({ tokens: ['a'] }, 'CoNLL') // => ['a']
 */
export function requireTokens(document: Document, format: string): readonly string[] {
  if (document.tokens?.length === 0) {
    throw new TagstreamError(
      'empty-sentence',
      `a record without words cannot be written as ${format}`,
      { fix: 'write NDJSON or spans, or leave out the record' },
    );
  }
  if (document.tokens !== undefined) return document.tokens;
  throw new TagstreamError(
    'wrong-shape',
    `a record without tokens cannot be written as ${format}`,
    { fix: 'find its tokens first: tagstream tokenize, or convert' },
  );
}

/**
 * The token ranges of the sentences of `count` tokens: the given ones, or all tokens as one.
 *
 * @example
 * sentenceRanges(undefined, 3) // => [[0, 3]]
 */
export function sentenceRanges(
  sentences: readonly Range[] | undefined,
  count: number,
): readonly Range[] {
  return sentences === undefined || sentences.length === 0 ? [[0, count]] : sentences;
}
