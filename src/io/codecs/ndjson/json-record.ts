import type { Column, Document } from '../../../core/sentence/document.js';

/**
 * The record of a document as a plain object, for `JSON.stringify`: id, text, tokens, offsets,
 * sentences, columns, tags, known in part or whole, weight, constraints, links, and its origin as `_origin`. With `tagColumn` the tags stand in
 * that column, as `readRecord` takes them.
 *
 * @example
 * jsonRecord({ id: '1', tokens: ['a'], tags: ['X'] }) // => ({ id: '1', tokens: ['a'], tags: ['X'] })
 */
export function jsonRecord(document: Document, tagColumn?: string): Record<string, unknown> {
  const { id, text, tokens, offsets, sentences, weight, constraints, links } = document;
  const { origin: _origin } = document;
  const { columns, tags } = placeTags(document, tagColumn);
  const known = { columns, tags, weight, constraints, links };
  return withoutUndefined({ id, text, tokens, offsets, sentences, ...known, _origin });
}

function placeTags(document: Document, tagColumn: string | undefined) {
  const { columns, tags = document.partialTags } = document;
  if (tagColumn === undefined || tags === undefined) return { columns, tags };
  const placed: Record<string, Column | typeof tags> = Object.assign(Object.create(null), columns);
  const own = placed.tags;
  delete placed.tags;
  placed[tagColumn] = tags;
  return { columns: placed, tags: own };
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
