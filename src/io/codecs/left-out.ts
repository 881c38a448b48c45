import type { Document } from '../../core/sentence/document.js';
import type { OnDropped } from './plain-cell.js';

/** What a document may hold beside its columns, as reports name it, and whether one does. */
const parts = {
  id: ({ id }) => id !== undefined,
  text: ({ text }) => text !== undefined,
  tokens: ({ tokens }) => tokens !== undefined,
  offsets: ({ offsets }) => offsets !== undefined,
  sentences: ({ sentences }) => sentences !== undefined,
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
