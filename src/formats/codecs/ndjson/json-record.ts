import { withoutUndefined } from '../../../engine/core/schema/is-record.js';
import type { Column, Document } from '../../../engine/core/sentence/document.js';
import type { OnDropped } from '../writing.js';
import { JsonText } from './json-text.js';
import { goldMember, wordsOf } from './owned-members.js';

/**
 * Returns the record of a document as a plain object, for `jsonText`: id, text, tokens, offsets, sentences, words,
 * columns, full or partial tags, weight, constraints, links, and its origin as `_origin`, with id and text byte for
 * byte. With `tagColumn`, the tags are in that column, as in `readRecord`.
 *
 * @example
 * jsonRecord({ id: '1', tokens: ['a'], tags: ['X'] }) // => ({ id: '1', tokens: ['a'], tags: ['X'] })
 */
export function jsonRecord(document: Document, tagColumn?: string): Record<string, unknown> {
  const { id, text, tokens, offsets, sentences, weight, constraints, links } = document;
  const { multiword } = document;
  const words =
    tokens === undefined || multiword === undefined
      ? undefined
      : wordsOf({ tokens, ...(offsets && { offsets }), multiword, document });
  const { origin } = document;
  const { columns, tags } = placeTags(document, tagColumn);
  const known = { columns, tags, weight, constraints, links };
  const plain = withoutUndefined({ id, text, tokens, offsets, sentences, words, ...known });
  if (origin === undefined) return plain;
  const written = { id: origin.id, text: origin.text, _origin: origin.json };
  for (const [name, json] of Object.entries(written)) {
    if (json !== undefined) plain[name] = new JsonText(json);
  }
  return plain;
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

/**
 * Moves the gold tags of an NDJSON record: from a column to the field `tags` (`gold` if it was tagged before), or into
 * a column. The source column is kept; a field of another meaning that occupies the target becomes a column of its
 * name. All other bytes are unchanged.
 *
 * @param from the column of the gold tags; undefined for the field
 * @param to the target column; undefined for the field
 * @example
 * moveTags('{"n": 1.0, "tokens": ["a"], "columns": {"pos": ["N"]}}', 'pos', undefined)
 * // => '{"n": 1.0, "tokens": ["a"], "columns": {"pos": ["N"]},"tags":["N"]}'
 * moveTags('{"n": 1.0, "tokens": ["a"], "tags": ["N"]}', undefined, 'pos')
 * // => '{"n": 1.0, "tokens": ["a"],"columns":{"pos":["N"]}}'
 */
export function moveTags(
  raw: string,
  from: string | undefined,
  to: string | undefined,
  onDropped?: OnDropped,
): string {
  const record = new JsonText(raw);
  const labels =
    from === undefined ? record.at([goldMember(record) ?? 'tags']) : columnAt(record, from);
  const isLabelled = labels !== undefined && labels.text !== 'null';
  if (to === undefined) return fieldFromColumn(record, isLabelled ? labels : undefined, onDropped);
  if (!isLabelled) return raw;
  const moved = from === undefined ? record.with({ [goldMember(record)!]: undefined }) : record;
  const before = columnAt(record, to);
  if (before !== undefined && !isSame(before, labels)) onDropped?.(`columns.${to}`);
  return withColumn(moved, to, labels).text;
}

/** Moves gold tags into their field. Other values in the field are not gold, and become a column. */
export function fieldFromColumn(
  record: JsonText,
  labels: JsonText | undefined,
  onDropped: OnDropped | undefined,
): string {
  const field = goldMember(record);
  const before = field === undefined ? undefined : record.at([field]);
  if (field === undefined || before === undefined) {
    return labels === undefined ? record.text : record.with({ tags: labels }).text;
  }
  if (labels !== undefined && isSame(before, labels)) return record.text;
  const column = columnAt(record, field);
  const isColumn = (before.value as readonly unknown[]).every(item => typeof item === 'string');
  const keepsIt = isColumn && column === undefined;
  if (!keepsIt && !(column !== undefined && isSame(column, before))) onDropped?.(field);
  const kept = keepsIt ? withColumn(record, field, before) : record;
  return kept.with({ [field]: labels }).text;
}

function columnAt(record: JsonText, name: string): JsonText | undefined {
  return record.at(['columns', name]);
}

function withColumn(record: JsonText, name: string, values: JsonText): JsonText {
  return record.at(['columns'])?.isObject === true
    ? record.withAt(['columns', name], values)
    : record.with({ columns: { [name]: values } });
}

function isSame(a: JsonText, b: JsonText): boolean {
  return JSON.stringify(a.value) === JSON.stringify(b.value);
}
