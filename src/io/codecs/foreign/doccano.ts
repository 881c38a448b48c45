import { codePointsOf } from './code-points.js';
import type { ForeignFormat } from './foreign-format.js';
import { idOf, objectOf, spansIn, textOf } from './read-spans.js';

/**
 * What doccano exports and imports: `{"text", "label": [[start, end, label]]}`, also with `labels`, or with `entities` of
 * `start_offset` and `end_offset`. Offsets count code points.
 *
 * @example
 * doccano.toDocument({ id: 1, text: '😀 Ann', label: [[2, 5, 'PER']] })
 * // => ({ id: '1', text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * doccano.fromDocument({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * // => ({ text: '😀 Ann', label: [[2, 5, 'PER']] })
 */
export const doccano: ForeignFormat = {
  name: 'doccano',
  toDocument: record => {
    const { id, text: given, data, label, labels, entities } = objectOf('the record', record);
    const text = textOf('text', given ?? data);
    const field = ['label', 'labels', 'entities'].find(
      (_, i) => [label, labels, entities][i] != null,
    );
    const found = label ?? labels ?? entities;
    if (field === undefined) return { ...idOf(id), text };
    const names = ['start_offset', 'end_offset'] as const;
    return { ...idOf(id), text, spans: spansIn(field, found, codePointsOf(text), names) };
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
};
