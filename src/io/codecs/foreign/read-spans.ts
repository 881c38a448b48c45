import { JsonText } from '../ndjson/json-text.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import type { ForeignRecord } from './foreign-format.js';
import type { FoundSpan } from './placed-spans.js';

/** What the members of a span are called that hold its offsets. */
export type SpanNames = readonly [start: string, end: string];

const ownNames: SpanNames = ['start', 'end'];

/** The value as an object. Throws `wrong-shape` with the name of the field otherwise. */
export function objectOf(field: string, value: unknown): ForeignRecord {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as ForeignRecord;
  }
  throw wrongShape(field, 'an object', value);
}

/** The value as an array. Throws `wrong-shape` with the name of the field otherwise. */
export function listOf(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrongShape(field, 'an array', value);
}

/** Paths of the spans in a list, as `ForeignFormat.reads` has them: objects with some members, or start, end and label. */
export function spanPaths(
  list: string,
  names: readonly string[] = [...ownNames, 'label'],
): readonly string[] {
  return [...names.map(name => `${list}[].${name}`), ...[0, 1, 2].map(i => `${list}[][${i}]`)];
}

/** The items of a list that a record has under a name, as they are written; none where the member is null or absent. */
export function itemsIn(record: JsonText, name: string): readonly JsonText[] {
  const list = record.at([name]);
  return list === undefined || list.value === null ? [] : list.items;
}

/** An item of a list, be it one that was there before or a new one. */
export function asWritten(item: unknown): ForeignRecord {
  return (item instanceof JsonText ? item.value : item) as ForeignRecord;
}

/** The value as a string. Throws `wrong-shape` with the name of the field otherwise. */
export function textOf(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw wrongShape(field, 'a string', value);
}

/** The id of a record, which tools give as a number or a string; nothing else is one. */
export function idOf(value: unknown): { readonly id?: string } {
  return typeof value === 'string' || typeof value === 'number' ? { id: String(value) } : {};
}

/** Spans as `[start, end, label]`, or as objects with these members under the given names. */
export function foundSpans(
  field: string,
  value: unknown,
  names: SpanNames = ownNames,
): readonly FoundSpan[] {
  return listOf(field, value).map((item, i) => foundSpan(`${field}[${i}]`, item, names));
}

/** One of them; members of other names are looked for as `start` and `end`. */
function foundSpan(at: string, item: unknown, names: SpanNames): FoundSpan {
  if (Array.isArray(item)) {
    const [start, end, label] = item as unknown[];
    return { at, start, end, label };
  }
  const span = objectOf(at, item);
  const [start, end] = names.some(name => span[name] !== undefined) ? names : ownNames;
  return { at, start: span[start], end: span[end], label: span.label, text: span.text };
}
