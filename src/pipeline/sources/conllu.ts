import { conlluCodec } from '../../io/codecs/conllu/conllu-codec.js';
import { conlluOptions } from '../../io/codecs/conllu/conllu-columns.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

export const conlluSource: SourceComponent = {
  name: 'conllu',
  summary: 'CoNLL-U, the format of Universal Dependencies',
  example: 'source: { conllu: { files: [train.conllu], tag: upos } }',
  extensions: ['conllu'],
  options: conlluOptions.extend(commonSourceShape),
  codecOptions: withoutCommon,
  codec: options => conlluCodec(withoutCommon(options)),
  columns: () => ['form', 'lemma', 'upos', 'xpos', 'feats', 'head', 'deprel', 'deps', 'misc'],
};
