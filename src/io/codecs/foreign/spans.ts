import type { ForeignFormat } from './foreign-format.js';
import { idOf, objectOf, spansIn, textOf } from './read-spans.js';

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
  toDocument: record => {
    const { id, text: given, spans } = objectOf('the record', record);
    const text = textOf('text', given);
    const counting = { length: text.length, toUnits: (offset: number) => offset };
    const labelled =
      spans === undefined || spans === null ? {} : { spans: spansIn('spans', spans, counting) };
    return { ...idOf(id), text, ...labelled };
  },
  fromDocument: ({ id, text, spans }) => ({
    ...(id === undefined ? {} : { id }),
    text,
    ...(spans === undefined ? {} : { spans }),
  }),
};
