import { ndjsonCodec, ndjsonOptions } from '../../io/codecs/ndjson/ndjson-codec.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

export const ndjsonSource: SourceComponent = {
  name: 'ndjson',
  summary: 'one JSON object per line, with text, or tokens and tags',
  example: 'source: { ndjson: { files: [feed.ndjson], tag: upos } }',
  extensions: ['ndjson', 'jsonl', 'json'],
  lenient: true,
  options: ndjsonOptions.extend(commonSourceShape),
  // Ids, fields and a layout are those of the records of one run: a model does not ask for them wherever it is used.
  codecOptions: ({ ids: _ids, textField: _text, into: _into, records: _records, ...options }) =>
    withoutCommon(options),
  codec: options => ndjsonCodec(withoutCommon(options)),
  columns: () => ['form'],
};
