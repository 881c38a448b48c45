import { TagstreamError } from '../../engine/core/errors.js';
import type { Document, Range } from '../../engine/core/sentence/document.js';

/** Called with a value that a format cannot represent, and the text written instead. */
export type OnReplaced = (value: string, written: string) => void;

/**
 * Called with the name of a field, column or comment that a format cannot represent, possibly several times per record.
 */
export type OnDropped = (name: string) => void;

/**
 * Makes a value fit a format with cells and lines: each run of characters that would break them is replaced by `by`. A
 * lone surrogate, which UTF-8 cannot encode, becomes U+FFFD in any output; it is replaced here only if that must be
 * reported.
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

/** The parts of a document other than its columns, by their names in reports, each with a test for its presence. */
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

/** A part of a document other than a column. */
export type DocumentPart = keyof typeof parts;

/**
 * Reports the parts of a document that a format cannot represent; a column as `columns.NAME`.
 *
 * @param held the parts that the format can represent
 * @param holdsColumn whether it can represent a column
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
 * Returns the tokens of a document, which `format` requires.
 *
 * @throws TagstreamError `wrong-shape` if they are unknown, `empty-sentence` if there are none
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
 * Returns the token ranges of the sentences: the given ones, or a single range of all `count` tokens.
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
