import type { TextSpan } from '../../../core/sentence/text-span.js';
import type { ForeignFormat } from './foreign-format.js';
import { mergeItems } from './merge-items.js';
import {
  type Counting,
  idOf,
  itemsIn,
  objectOf,
  spanIn,
  spanPaths,
  spansIn,
  textOf,
} from './read-spans.js';

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
  toDocument: record => {
    const { id, text: given, spans } = objectOf('the record', record);
    const text = textOf('text', given);
    const counting = unitsOf(text);
    const labelled =
      spans === undefined || spans === null ? {} : { spans: spansIn('spans', spans, counting) };
    return { ...idOf(id), text, ...labelled };
  },
  fromDocument: ({ id, text, spans }) => ({
    ...(id === undefined ? {} : { id }),
    text,
    ...(spans === undefined ? {} : { spans }),
  }),
  revise: (own, { text, spans = [] }) => {
    const counting = unitsOf(text);
    const spanOf = (item: unknown, i: number) => spanIn(`spans[${i}]`, item, counting);
    const make = ({ start, end, label }: TextSpan) => ({ start, end, label });
    return own.with({ spans: mergeItems(itemsIn(own, 'spans'), spans, spanOf, make) });
  },
};

function unitsOf({ length }: string): Counting {
  return { length, toUnits: offset => offset };
}
