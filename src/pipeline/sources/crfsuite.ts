import { crfsuiteCodec, crfsuiteOptions } from '../../io/codecs/crfsuite/crfsuite-codec.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

export const crfsuiteSource: SourceComponent = {
  name: 'crfsuite',
  summary: 'data of CRFsuite: a label and attributes per line, with tabs between',
  example: 'source: { crfsuite: { files: [train.crfsuite.txt], attributes: { form: "w[0]" } } }',
  options: crfsuiteOptions.safeExtend(commonSourceShape),
  codecOptions: withoutCommon,
  codec: options => crfsuiteCodec(withoutCommon(options)),
  columns: options => {
    const names = Object.keys(options.attributes as Record<string, string>);
    return ['form', ...names.filter(name => name !== 'form')];
  },
};
