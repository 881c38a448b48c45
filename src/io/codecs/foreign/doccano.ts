import type { JsonText } from '../ndjson/json-text.js';
import { type Annotation, chosenSpans } from './annotations.js';
import { countingOf } from './counting.js';
import type { ForeignFormat, ForeignReading, ForeignRecord } from './foreign-format.js';
import { mergeItems } from './merge-items.js';
import { placeSpans } from './placed-spans.js';
import {
  asWritten,
  foundSpans,
  idOf,
  itemsIn,
  objectOf,
  type SpanNames,
  spanPaths,
  textOf,
} from './read-spans.js';

const names: SpanNames = ['start_offset', 'end_offset'];
const fields = ['label', 'labels', 'entities', 'annotations'];

/**
 * What doccano exports and imports: `{"text", "label": [[start, end, label]]}`, also with `labels`, or with `entities` of
 * `start_offset` and `end_offset`, or `start` and `end`; `annotations` of several people are told apart by their `user`. Offsets
 * count code points.
 *
 * @example
 * doccano.toDocument({ id: 1, text: '😀 Ann', label: [[2, 5, 'PER']] })
 * // => ({ id: '1', text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * doccano.fromDocument({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * // => ({ text: '😀 Ann', label: [[2, 5, 'PER']] })
 */
export const doccano: ForeignFormat = {
  name: 'doccano',
  reads: [
    ...['text', 'data'],
    ...fields.flatMap(field => spanPaths(field, ['start', 'end', ...names, 'label'])),
  ],
  toDocument: (record, reading = {}) => {
    const { own, all } = readRecord(record, reading);
    if (all === undefined) return own;
    return { ...own, spans: chosenSpans(own.text, all, reading.annotations) };
  },
  eachDocument: (record, reading = {}) => {
    const { own, all } = readRecord(record, reading);
    if (all === undefined) return [own];
    return all.map(({ name, spans }) => ({
      ...own,
      ...(all.length === 1 || own.id === undefined ? {} : { id: `${own.id}/${name}` }),
      spans,
    }));
  },
  fromDocument: ({ id, text, spans }, { offsets = 'codepoints' } = {}) => {
    const { fromUnits } = countingOf(text, offsets);
    return {
      ...(id === undefined ? {} : { id }),
      text,
      label: (spans ?? []).map(({ start, end, label }) => [
        fromUnits(start),
        fromUnits(end),
        label,
      ]),
    };
  },
  revise: (own, { text, spans = [] }, { offsets } = {}) => {
    const field = fieldOf(objectOf('the record', own.value)) ?? 'label';
    const before = itemsIn(own, field);
    const found = foundSpans(
      field,
      before.map(({ value }) => value),
      names,
    );
    const placed = placeSpans(text, found, { own: unit, offsets });
    const { counting } = placed;
    const areObjects = before.length > 0 ? before[0]!.isObject : field === 'entities';
    const isShort = before.some(({ value }) => (value as ForeignRecord).start !== undefined);
    const items = mergeItems(
      before,
      spans,
      (_, i) => placed.spans[i],
      ({ start, end, label }) => {
        const place = [counting.fromUnits(start), counting.fromUnits(end)] as const;
        if (!areObjects) return [...place, label];
        return isShort
          ? { label, start: place[0], end: place[1] }
          : { label, start_offset: place[0], end_offset: place[1] };
      },
    );
    return own.with({ [field]: items, ...relationsOf(own, items) });
  },
};

/** The relations whose entities are still there, where some are not. */
function relationsOf(own: JsonText, items: readonly unknown[]): ForeignRecord {
  if (!Array.isArray(own.at(['relations'])?.value)) return {};
  const ids = new Set(items.map(item => asWritten(item).id));
  const before = itemsIn(own, 'relations');
  const relations = before.filter(({ value }) => {
    const relation = value as ForeignRecord | null;
    return ids.has(relation?.from_id) && ids.has(relation?.to_id);
  });
  return relations.length === before.length ? {} : { relations };
}

const unit = 'codepoints';

function fieldOf(own: ForeignRecord): string | undefined {
  return fields.find(name => own[name] != null);
}

function readRecord(record: unknown, { offsets }: ForeignReading) {
  const given = objectOf('the record', record);
  const text = textOf('text', given.text ?? given.data);
  const own = { ...idOf(given.id), text };
  const field = fieldOf(given);
  if (field === undefined) return { own, all: undefined };
  const { spans } = placeSpans(text, foundSpans(field, given[field], names), {
    own: unit,
    offsets,
  });
  const users = (given[field] as readonly unknown[]).map(item =>
    String((item as ForeignRecord).user ?? ''),
  );
  const all = [...new Set(users)].map(
    (user): Annotation => ({ name: user, spans: spans.filter((_, i) => users[i] === user) }),
  );
  return { own, all: all.length === 0 ? [{ name: '', spans }] : all };
}
