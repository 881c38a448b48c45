import { textCodec, textOptions } from '../../io/codecs/text/text-codec.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

export const textSource: SourceComponent = {
  name: 'text',
  summary: 'plain text without labels: a line, a paragraph or a file is a record',
  example: 'source: { text: { files: [raw.txt], records: line } }',
  lenient: true,
  options: textOptions.extend(commonSourceShape),
  codecOptions: withoutCommon,
  codec: options => textCodec(withoutCommon(options)),
  columns: () => ['form'],
};
