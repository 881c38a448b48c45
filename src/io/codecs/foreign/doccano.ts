import type { JsonText } from '../ndjson/json-text.js';
import { codePointsOf } from './code-points.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
import { mergeItems } from './merge-items.js';
import {
  asWritten,
  idOf,
  itemsIn,
  objectOf,
  type SpanNames,
  spanIn,
  spanPaths,
  spansIn,
  textOf,
} from './read-spans.js';

const names: SpanNames = ['start_offset', 'end_offset'];
const fields = ['label', 'labels', 'entities'];

/**
 * What doccano exports and imports: `{"text", "label": [[start, end, label]]}`, also with `labels`, or with `entities` of
 * `start_offset` and `end_offset`, or `start` and `end`. Offsets count code points.
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
  toDocument: record => {
    const own = objectOf('the record', record);
    const text = textOf('text', own.text ?? own.data);
    const field = fields.find(name => own[name] != null);
    if (field === undefined) return { ...idOf(own.id), text };
    return { ...idOf(own.id), text, spans: spansIn(field, own[field], codePointsOf(text), names) };
  },
  fromDocument: ({ id, text, spans }) => {
    const { fromUnits } = codePointsOf(text);
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
  revise: (own, { text, spans = [] }) => {
    const record = objectOf('the record', own.value);
    const field = fields.find(name => record[name] != null) ?? 'label';
    const counting = codePointsOf(text);
    const before = itemsIn(own, field);
    const areObjects = before.length > 0 ? before[0]!.isObject : field === 'entities';
    const isShort = before.some(({ value }) => (value as ForeignRecord).start !== undefined);
    const items = mergeItems(
      before,
      spans,
      (item, i) => spanIn(`${field}[${i}]`, item, counting, names),
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
