import type { TextSpan } from '../../../core/sentence/text-span.js';
import { type Counting, countingOf } from './counting.js';
import type { ForeignFormat } from './foreign-format.js';
import { mergeItems } from './merge-items.js';
import { placeSpans } from './placed-spans.js';
import { foundSpans, idOf, itemsIn, objectOf, spanPaths, textOf } from './read-spans.js';

/**
 * Texts with spans as Tagstream counts: `{"text", "spans": [{"start", "end", "label"}]}`, offsets in UTF-16 units, the end
 * exclusive. Without `spans` a text is not labelled.
 *
 * @example
 * spansFormat.toDocument({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 * // => ({ text: '😀 Ann', spans: [{ start: 3, end: 6, label: 'PER' }] })
 */
export const spansFormat: ForeignFormat = {
  name: 'spans',
  reads: ['text', ...spanPaths('spans')],
  toDocument: (record, { offsets } = {}) => {
    const { id, text: given, spans } = objectOf('the record', record);
    const text = textOf('text', given);
    if (spans === undefined || spans === null) return { ...idOf(id), text };
    const placed = placeSpans(text, foundSpans('spans', spans), { own: 'utf16', offsets });
    return { ...idOf(id), text, spans: placed.spans };
  },
  fromDocument: ({ id, text, spans }, { offsets = 'utf16' } = {}) => {
    const counting = countingOf(text, offsets);
    return {
      ...(id === undefined ? {} : { id }),
      text,
      ...(spans === undefined ? {} : { spans: spans.map(span => counted(span, counting)) }),
    };
  },
  revise: (own, { text, spans = [] }, { offsets } = {}) => {
    const before = itemsIn(own, 'spans');
    const found = foundSpans(
      'spans',
      before.map(({ value }) => value),
    );
    const placed = placeSpans(text, found, { own: 'utf16', offsets });
    const spanOf = (_: unknown, i: number) => placed.spans[i];
    const make = (span: TextSpan) => counted(span, placed.counting);
    return own.with({ spans: mergeItems(before, spans, spanOf, make) });
  },
};

function counted({ start, end, label }: TextSpan, { fromUnits }: Counting): TextSpan {
  return { start: fromUnits(start), end: fromUnits(end), label };
}
