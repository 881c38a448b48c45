import { slashCodec, slashOptions } from '../../io/codecs/slash/slash-codec.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

export const slashSource: SourceComponent = {
  name: 'slash',
  summary: 'one sentence per line, each word with its tag after a separator: The/DT jury/NN',
  example: "source: { slash: { files: [brown.txt], separator: '/' } }",
  canLackTags: true,
  options: slashOptions.extend(commonSourceShape),
  codecOptions: withoutCommon,
  codec: options => slashCodec(withoutCommon(options)),
  columns: () => ['form'],
};
