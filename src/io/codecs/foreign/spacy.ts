import { wrongShape } from '../ndjson/record-shapes.js';
import { codePointsOf } from './code-points.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
import { idOf, listOf, objectOf, spansIn, textOf } from './read-spans.js';

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
  toDocument: given => {
    const record = recordOf(given);
    const text = textOf('text', record.text);
    const counting = codePointsOf(text);
    const field = ['entities', 'ents', 'spans'].find(name => record[name] != null);
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
};

function recordOf(given: unknown): ForeignRecord {
  if (!Array.isArray(given)) return objectOf('the record', given);
  const [text, annotations] = listOf('the record', given);
  if (given.length !== 2) throw wrongShape('the record', '[text, {"entities": [...]}]', given);
  return { ...objectOf('the annotations', annotations), text };
}
