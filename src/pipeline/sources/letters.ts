import { lettersCodec, lettersOptions } from '../../io/codecs/letters/letters-codec.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

export const lettersSource: SourceComponent = {
  name: 'letters',
  summary: 'one word per line; its letters are the tokens, with one tag per letter',
  example: 'source: { letters: { files: [nettalk.data], columns: [word, phonemes] } }',
  canLackTags: true,
  options: lettersOptions.safeExtend(commonSourceShape),
  codecOptions: withoutCommon,
  codec: options => lettersCodec(withoutCommon(options)),
  columns: () => ['form'],
};
