import type { TextSpan } from '../../../core/sentence/text-span.js';
import type { JsonText } from '../ndjson/json-text.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { countingOf } from './counting.js';
import type { ForeignFormat, ForeignReading, ForeignRecord } from './foreign-format.js';
import type { LabelledText } from './labelled-text.js';
import { mergeItems } from './merge-items.js';
import { placeSpans } from './placed-spans.js';
import { foundSpans, idOf, listOf, objectOf, spanPaths, textOf } from './read-spans.js';
import { documentOfParagraphs, withEntities } from './spacy-paragraphs.js';

/** Members that may have the spans, the first of them counts. */
const fields = ['entities', 'ents', 'spans'];

/**
 * Records for spaCy: `{"text", "entities": [[start, end, label]]}`. Read also as `[text, {"entities": [...]}]`, and with `ents`
 * or `spans`, a list or lists under names, as `doc.to_json()` writes them. Offsets count code points. Training data of spaCy 2 have `paragraphs` of
 * `sentences` of `tokens` with a tag in BILUO as `ner`: all of them are one document, and `-` is a tag that is not known.
 *
 * @example
 * spacy.toDocument(['😀 Ann', { entities: [[2, 5, 'PER']] }])
 * // => ({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 */
export const spacy: ForeignFormat = {
  name: 'spacy',
  reads: [
    ...['orth', 'ner'].map(name => `paragraphs[].sentences[].tokens[].${name}`),
    'paragraphs[].raw',
    ...['text', ...[...fields, 'spans{}'].flatMap(list => spanPaths(list))],
  ],
  toDocument: (given, { offsets } = {}) => {
    const record = recordOf(given);
    if (Array.isArray(record.paragraphs)) return documentOfParagraphs(record);
    const text = textOf('text', record.text);
    const field = fields.find(name => record[name] != null);
    if (field === undefined) return { ...idOf(record.id), text };
    const found = record[field];
    const groups = Array.isArray(found) ? [found] : Object.values(objectOf(field, found));
    const spans = groups.flatMap(group => foundSpans(field, group));
    return {
      ...idOf(record.id),
      text,
      spans: placeSpans(text, spans, { own: 'codepoints', offsets }).spans,
    };
  },
  fromDocument: ({ id, text, spans }, { offsets = 'codepoints' } = {}) => {
    const { fromUnits } = countingOf(text, offsets);
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
  revise: (own, labelled, reading = {}) => {
    if (own.at(['paragraphs']) !== undefined) return withEntities(own, labelled);
    if (own.isObject) return revised(own, labelled, reading);
    return own.withAt(['1'], revised(own.at(['1'])!, labelled, reading));
  },
};

/** The member with the spans has those of now: each stays in the list where it was, and new ones go to the first. */
function revised(
  own: JsonText,
  { text, spans = [] }: LabelledText,
  { offsets }: ForeignReading,
): JsonText {
  const record = objectOf('the record', own.value);
  const field = fields.find(name => record[name] != null) ?? 'entities';
  const found = own.at([field]);
  const lists = found?.isObject ? found.members.map(({ key }) => [field, key]) : [[field]];
  const items = lists.map(path => own.at(path)?.items ?? []);
  const values = items.flat().map(({ value }) => value);
  const placed = placeSpans(text, foundSpans(field, values), { own: 'codepoints', offsets });
  const { fromUnits } = placed.counting;
  let seen = 0;
  const before = items.map(({ length }) => {
    seen += length;
    return placed.spans.slice(seen - length, seen);
  });
  const keyOf = ({ start, end, label }: TextSpan) => `${start} ${end} ${label}`;
  const known = before.map(list => new Set(list.map(keyOf)));
  const first = items.flat()[0];
  const areObjects = first === undefined ? field !== 'entities' : first.isObject;
  const make = ({ start, end, label }: TextSpan) => {
    const place = [fromUnits(start), fromUnits(end)] as const;
    return areObjects ? { start: place[0], end: place[1], label } : [...place, label];
  };
  return lists.reduce((record, path, at) => {
    const isHere = (span: TextSpan) =>
      known[at]!.has(keyOf(span)) || (at === 0 && !known.some(each => each.has(keyOf(span))));
    const spanOf = (_: unknown, i: number) => before[at]![i];
    return record.withAt(path, mergeItems(items[at]!, spans.filter(isHere), spanOf, make));
  }, own);
}

function recordOf(given: unknown): ForeignRecord {
  if (!Array.isArray(given)) return objectOf('the record', given);
  const [text, annotations] = listOf('the record', given);
  if (given.length !== 2) throw wrongShape('the record', '[text, {"entities": [...]}]', given);
  return { ...objectOf('the annotations', annotations), text };
}
