import * as z from 'zod';
import { givenText, maybeOneOf } from '../../../engine/core/schema/option-kinds.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import { lineOptions } from '../../lines/line-options.js';
import type { Codec } from '../codec.js';
import { tagFormOptions } from '../tag-cell-options.js';
import { jsonLayouts } from './json-document-lines.js';
import { ndjsonFormat } from './ndjson-format.js';

export const ndjsonOptions = z.strictObject({
  tag: givenText('column or member of the record with the gold tags, instead of the field tags'),
  tokens: givenText('member with the tokens; default: tokens'),
  labels: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('names of numeric gold tags, from 0; results use the names'),
  ...tagFormOptions,
  records: maybeOneOf(
    jsonLayouts,
    'layout of a file that is one JSON object: rows (a list named rows) or columns (one list per field, with one item per record); default: a record is a line or an item of an array, unless the first bytes show one of these layouts',
  ),
  ids: maybeOneOf(
    ['content', 'position'],
    'stable ids for records without one: content: from their bytes; position: also from their input and position',
  ),
  textField: givenText(
    'the field with the text, such as message; if no field has that name, dots lead into objects (log.message); only the id and this text are read',
  ),
  into: givenText(
    'write all results as one object under this key; the rest of the record stays unchanged, and other fields next to a text may have any shape',
  ),
  ...lineOptions,
});

/**
 * Returns the codec of NDJSON: one JSON object per line, `{"id", "text"}` or `{"id", "tokens", "columns", "tags"}`.
 *
 * Writing splices results into the record's own text, so all other fields are preserved byte for byte; see
 * `spliceRecord` and `readRecord` for the treatment of each field, and `giveId` for `ids`. Other programs' records may
 * have their text in a different field (`textField`), and get all results below one key (`into`).
 *
 * @throws TagstreamError `config` for invalid options
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
