import { webannoCodec, webannoOptions } from '../../io/codecs/webanno/webanno-codec.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

export const webannoSource: SourceComponent = {
  name: 'webanno',
  summary: 'WebAnno TSV 3 of WebAnno and INCEpTION: a token per line, with columns for its layers',
  example: 'source: { webanno: { files: [export.tsv], column: 1 } }',
  lenient: true,
  options: webannoOptions.extend(commonSourceShape),
  codecOptions: withoutCommon,
  codec: options => webannoCodec(withoutCommon(options)),
  columns: () => ['form'],
};
