import * as z from 'zod';
import { givenText, maybeOneOf } from '../../../core/schema/option-kinds.js';
import { parseOptions } from '../../../core/schema/parse-options.js';
import { lineOptions } from '../../lines/line-options.js';
import type { Codec } from '../codec.js';
import { tagFormOptions } from '../tag-cell-options.js';
import { jsonLayouts } from './json-document-lines.js';
import { ndjsonFormat } from './ndjson-format.js';

export const ndjsonOptions = z.strictObject({
  tag: givenText(
    'name of the column whose values are the gold tags, or of a member of the record, instead of the field tags',
  ),
  tokens: givenText('name of the member that has the tokens; default: tokens'),
  labels: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('the names of gold tags that are numbers, from 0 on; results are names'),
  ...tagFormOptions,
  records: maybeOneOf(
    jsonLayouts,
    'how records stand in a file that is one JSON object: rows, in its list rows, or columns, a list for each field with an item for each record; default: a record is a line or an item of an array, unless the first bytes show one of these',
  ),
  ids: maybeOneOf(
    ['content', 'position'],
    'stable ids for records without one: content: derived from their bytes; position: also from their input and place',
  ),
  textField: givenText(
    'the field that has the text, such as message; where there is none of that name, dots lead into objects (log.message); of the record only its id and this text are read',
  ),
  into: givenText(
    'write all results below this one key, as an object; nothing else of the record changes, and fields of other shapes next to a text are left alone',
  ),
  ...lineOptions,
});

/**
 * One JSON object per line: `{"id", "text"}` or `{"id", "tokens", "columns", "tags"}`.
 *
 * Writing splices results into the record's own text, so that all other fields come out byte for byte;
 * see `spliceRecord` and `readRecord` for what becomes of each field, and `giveId` for `ids`. Records of other programs may
 * have their text in another field (`textField`), and get all results below one key (`into`).
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const codec = ndjsonCodec();
 * const document = { id: '7', tokens: ['a'], raw: '{"id": 7, "tokens": ["a"]}', format: 'ndjson' };
 * const tagged = { document, tokens: ['a'], tags: ['X'] };
 * codec.write(tagged) // => '{"id": 7, "tokens": ["a"],"tags":["X"]}\n'
 * codec.write(tagged, { output: 'tags' }) // => '{"id":7,"tags":["X"]}\n'
 * ndjsonCodec({ into: 'nlp' }).write(tagged) // => '{"id": 7, "tokens": ["a"],"nlp":{"tags":["X"]}}\n'
 */
export function ndjsonCodec(options: z.input<typeof ndjsonOptions> = {}): Codec {
  return ndjsonFormat(parseOptions(ndjsonOptions, options, 'ndjson'));
}
