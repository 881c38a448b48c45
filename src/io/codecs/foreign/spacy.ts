import type { TextSpan } from '../../../core/sentence/text-span.js';
import type { JsonText } from '../ndjson/json-text.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { codePointsOf } from './code-points.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
import { mergeItems } from './merge-items.js';
import { idOf, listOf, objectOf, spanIn, spanPaths, spansIn, textOf } from './read-spans.js';

/** Members that may have the spans, the first of them counts. */
const fields = ['entities', 'ents', 'spans'];

/**
 * Records for spaCy: `{"text", "entities": [[start, end, label]]}`. Read also as `[text, {"entities": [...]}]`, and with `ents`
 * or `spans`, a list or lists under names, as `doc.to_json()` writes them. Offsets count code points.
 *
 * @example
 * spacy.toDocument(['😀 Ann', { entities: [[2, 5, 'PER']] }])
 * // => ({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 */
export const spacy: ForeignFormat = {
  name: 'spacy',
  reads: ['text', ...[...fields, 'spans{}'].flatMap(list => spanPaths(list))],
  toDocument: given => {
    const record = recordOf(given);
    const text = textOf('text', record.text);
    const counting = codePointsOf(text);
    const field = fields.find(name => record[name] != null);
    if (field === undefined) return { ...idOf(record.id), text };
    const found = record[field];
    const groups = Array.isArray(found) ? [found] : Object.values(objectOf(field, found));
    return {
      ...idOf(record.id),
      text,
      spans: groups.flatMap(group => spansIn(field, group, counting)),
    };
  },
  fromDocument: ({ id, text, spans }) => {
    const { fromUnits } = codePointsOf(text);
    return {
      ...(id === undefined ? {} : { id }),
      text,
      entities: (spans ?? []).map(({ start, end, label }) => [
        fromUnits(start),
        fromUnits(end),
        label,
      ]),
    };
  },
  revise: (own, { text, spans = [] }) => {
    if (!own.isObject) {
      const annotations = revised(own.at(['1'])!, text, spans);
      return own.withAt(['1'], annotations);
    }
    return revised(own, text, spans);
  },
};

/** The member with the spans has those of now: each stays in the list where it was, and new ones go to the first. */
function revised(own: JsonText, text: string, spans: readonly TextSpan[]): JsonText {
  const record = objectOf('the record', own.value);
  const field = fields.find(name => record[name] != null) ?? 'entities';
  const found = own.at([field]);
  const lists = found?.isObject ? found.members.map(({ key }) => [field, key]) : [[field]];
  const { toUnits, fromUnits, length } = codePointsOf(text);
  const items = lists.map(path => own.at(path)?.items ?? []);
  const spanOf = (item: unknown, i: number) => spanIn(`${field}[${i}]`, item, { length, toUnits });
  const keyOf = ({ start, end, label }: TextSpan) => `${start} ${end} ${label}`;
  const known = items.map(list => new Set(list.map(({ value }, i) => keyOf(spanOf(value, i)))));
  const first = items.flat()[0];
  const areObjects = first === undefined ? field !== 'entities' : first.isObject;
  const make = ({ start, end, label }: TextSpan) => {
    const place = [fromUnits(start), fromUnits(end)] as const;
    return areObjects ? { start: place[0], end: place[1], label } : [...place, label];
  };
  return lists.reduce((record, path, at) => {
    const isHere = (span: TextSpan) =>
      known[at]!.has(keyOf(span)) || (at === 0 && !known.some(each => each.has(keyOf(span))));
    return record.withAt(path, mergeItems(items[at]!, spans.filter(isHere), spanOf, make));
  }, own);
}

function recordOf(given: unknown): ForeignRecord {
  if (!Array.isArray(given)) return objectOf('the record', given);
  const [text, annotations] = listOf('the record', given);
  if (given.length !== 2) throw wrongShape('the record', '[text, {"entities": [...]}]', given);
  return { ...objectOf('the annotations', annotations), text };
}
