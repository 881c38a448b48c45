import { describe, expect, it } from 'vitest';
import { joined } from '../../../src/engine/core/arrays.js';
import { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { readModel, writeModel } from '../../../src/engine/models/files/model-file.js';
import { newestFormatVersion } from '../../../src/engine/models/files/model-header.js';
import {
  readSections,
  type Sections,
  writeSections,
} from '../../../src/engine/models/files/section-file.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { syntheticCorpus } from '../../engine/models/examples/synthetic-corpus.js';
import { train } from '../../engine/models/examples/train.js';
import { trainVoted } from '../../engine/models/examples/train-voted.js';
import { everyNth } from '../../house/long-forms.js';

const corpus: readonly Sentence[] = syntheticCorpus(new Random(1), 30, { wordsPerLabel: 10 });
const words = 'U0:%x[0,0]\nU1:%x[-1,0]\nB';
const models: [string, Uint8Array][] = [
  ['a chain', writeModel(train(corpus, { spec: { templates: words } }))],
  [
    'observed pairs',
    writeModel(train(corpus, { spec: { templates: words, support: 'observed' } })),
  ],
  [
    'hidden states',
    writeModel(
      train(corpus, { spec: { templates: words, hidden: { states: 2, spread: 0.1, seed: 1 } } }),
    ),
  ],
  ['a MEMM', writeModel(train(corpus, { spec: { templates: words, scorer: 'memm' } }))],
  [
    'segments',
    writeModel(
      train(corpus, {
        spec: { templates: words, segments: { maxLength: 3, features: ['length'] } },
      }),
    ),
  ],
  [
    'voters',
    writeModel(trainVoted(corpus, { templates: words, support: 'observed' }, { voters: 5 })),
  ],
];

/** Sections with weights, by the ends of their names. */
const weighty = /values$/;

/** The file with all nonzero weights of the sign and the size given; its checksums are right. */
function withWeights(bytes: Uint8Array, size: number): Uint8Array {
  const file = readSections(bytes, newestFormatVersion, 'm');
  const { sections: table, ...header } = file.header as {
    sections: { name: string; type: 'Float32Array' }[];
  };
  const sections: Record<string, Sections[string]> = {};
  for (const { name, type } of table) {
    const values = file.section(name, type);
    const isWeights = weighty.test(name) && type === 'Float32Array';
    sections[name] = isWeights ? values.map(value => Math.sign(value) * size) : values;
  }
  return joined(writeSections(file.version, header, sections));
}

describe.each(models)('a model of %s', (_, bytes) => {
  for (const { rows, tags } of everyNth(3, [3.4e38, 1e30, 2 ** 40])) {
    it.each(rows)('is refused with weights of %d', { tags }, size => {
      expect(() => readModel(withWeights(bytes, size))).toThrow('too large or not finite');
    });
  }

  for (const { rows, tags } of everyNth(5, Object.entries(kernels))) {
    it.each(rows)(
      'has probabilities that add up with weights below, or says why not: %s',
      { tags },
      (_, kernel) => {
        for (const size of [1e6, 1e9, 1e12]) {
          const tagger = new Tagger(readModel(withWeights(bytes, size), 'm', kernel));
          for (const { tokens } of corpus.slice(0, 10)) {
            try {
              const { nbest } = tagger.analyze(tokens, {}, { nbest: 4, marginals: true });
              const sum = nbest!.reduce((all, { probability }) => all + probability, 0);
              expect(sum).toBeLessThan(1.02);
            } catch (thrown) {
              expect(thrown).toMatchObject({ code: 'numeric' });
            }
          }
        }
      },
    );
  }
});
