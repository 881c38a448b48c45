import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { sentenceOf } from '../../../engine/features/sentence-of.js';
import { train } from '../../../engine/models/examples/train.js';

/** Tags of one letter, as every format can hold them. */
const corpus = [
  sentenceOf(['the', 'dog', 'runs'], { tags: ['D', 'N', 'V'] }),
  sentenceOf(['a', 'b', 'é', 'a'], { tags: ['D', 'N', 'V', 'N'] }),
  sentenceOf(['😀', 'dog', '.'], { tags: ['N', 'N', 'P'] }),
];

/** The file of a small model, in memory that threads share. */
export function toyModelBytes(): SharedArrayBuffer {
  const spec = { templates: 'U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nB' };
  const bytes = writeModel(train(corpus, { spec }));
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/** The model in such a file. */
export function toyModel(bytes: SharedArrayBuffer): Model {
  return readModel(new Uint8Array(bytes));
}
