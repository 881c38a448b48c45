import { expect, it } from 'vitest';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { sampleOf } from '../../../../src/runtime/pipeline/init/sample.js';
import { headOf } from './head-of.js';

it('a sample may have as many records as its bytes hold', async () => {
  const codec = conllCodec({ columns: ['form', 'tag'] });
  const { records, tokens, labels } = await sampleOf(headOf('a X\n\n'.repeat(2e5)), codec, 'in');
  expect({ records, tokens, labels }).toEqual({ records: 2e5, tokens: 2e5, labels: ['X'] });
});
