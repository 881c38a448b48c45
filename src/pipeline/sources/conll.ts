import { conllCodec, conllOptions } from '../../io/codecs/conll/conll-codec.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

export const conllSource: SourceComponent = {
  name: 'conll',
  summary: 'one token per line in columns, a blank line after each sentence',
  example: 'source: { conll: { files: [train.txt], columns: [form, pos, tag] } }',
  canLackTags: true,
  options: conllOptions.extend(commonSourceShape),
  codecOptions: withoutCommon,
  codec: options => conllCodec(withoutCommon(options)),
  columns: options => options.columns as string[],
};
