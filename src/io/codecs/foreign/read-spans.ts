import type { TextSpan } from '../../../core/sentence/text-span.js';
import { JsonText } from '../ndjson/json-text.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import type { ForeignRecord } from './foreign-format.js';

/** How a text counts its characters: see `codePointsOf`. */
export interface Counting {
  readonly length: number;
  toUnits(offset: number): number;
}

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

/** A span with offsets as they are counted in a tool. Throws `wrong-shape` if the text has no such place. */
export function spanAt(
  field: string,
  { start, end, label }: { start: unknown; end: unknown; label: unknown },
  { length, toUnits }: Counting,
): TextSpan {
  const isPlace = Number.isInteger(start) && Number.isInteger(end);
  const [from, to] = [start as number, end as number];
  if (!isPlace || from < 0 || from >= to || to > length) {
    const expected = `offsets of characters with 0 <= start < end <= ${length}, the length of the text`;
    throw wrongShape(field, expected, [start, end, label]);
  }
  if (typeof label !== 'string' || label === '') {
    throw wrongShape(`the label of ${field}`, 'a string that is not empty', label);
  }
  return { start: toUnits(from), end: toUnits(to), label };
}

/**
 * A span that comes with its text. Where this stands at the UTF-16 units of the offsets and not at their code points, the
 * tool has counted units. Throws what `spanAt` does.
 */
export function spanOfText(
  field: string,
  span: { start: unknown; end: unknown; label: unknown },
  text: string,
  shown: unknown,
  counting: Counting,
): TextSpan {
  const inUnits = { length: text.length, toUnits: (offset: number) => offset };
  const holds = (by: Counting) => {
    const [from, to] = [by.toUnits(span.start as number), by.toUnits(span.end as number)];
    return text.slice(from, to).replace(/[\r\n]/g, ' ') === String(shown).replace(/[\r\n]/g, ' ');
  };
  const isMeant = typeof shown === 'string' && !holds(counting) && holds(inUnits);
  return spanAt(field, span, isMeant ? inUnits : counting);
}

/** Spans as `[start, end, label]`, or as objects with these members under the given names. */
export function spansIn(
  field: string,
  value: unknown,
  counting: Counting,
  names: SpanNames = ownNames,
): readonly TextSpan[] {
  return listOf(field, value).map((item, i) => spanIn(`${field}[${i}]`, item, counting, names));
}

/** One of them; members of other names are looked for as `start` and `end`. */
export function spanIn(
  field: string,
  item: unknown,
  counting: Counting,
  names: SpanNames = ownNames,
): TextSpan {
  if (Array.isArray(item)) {
    const [start, end, label] = item as unknown[];
    return spanAt(field, { start, end, label }, counting);
  }
  const span = objectOf(field, item);
  const [start, end] = names.some(name => span[name] !== undefined) ? names : ownNames;
  const place = { start: span[start], end: span[end], label: span.label };
  return spanAt(field, place, counting);
}
