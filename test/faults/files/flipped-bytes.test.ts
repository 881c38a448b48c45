import { describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { Random } from '../../../src/engine/core/random.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import { bundleModels } from '../../../src/engine/models/files/bundle-models.js';
import { requireReadable, writeModel } from '../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../src/engine/models/files/model-header.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../src/engine/models/learning/settle-corpus.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { treeBoosting } from '../../../src/engine/trainers/factories.js';
import { createLearner } from '../../../src/runtime/pipeline/learners/create-learner.js';
import { train as trainModel } from '../../../src/runtime/pipeline/training/train.js';
import { modelWith } from '../../engine/models/examples/model-with.js';
import { syntheticCorpus } from '../../engine/models/examples/synthetic-corpus.js';
import { train } from '../../engine/models/examples/train.js';
import { conlluDocuments, smallTagger } from '../../engine/models/files/bundle-request.js';
import { modelKinds, words } from '../../engine/models/files/model-kinds.js';
import { smallTreebank } from '../../engine/text/characters/small-treebank.js';
import { everyNth } from '../../house/long-forms.js';
import { longForm } from '../long-form.js';
import { printSeed, randomOf } from '../seed.js';

printSeed('flipped bytes');

const codes = ['model-format', 'model-version', 'model-damaged', 'too-large'];
const corpus = syntheticCorpus(new Random(1), 30, { wordsPerLabel: 10 });
const plain = writeModel(train(corpus, { spec: { templates: words } }));

/** A model of trees. */
function ofTrees(): Uint8Array {
  const model = modelWith(kernels.simd64, { templates: words, scorer: 'trees' });
  const learner = createLearner(model, { loss: logLoss, optimizer: treeBoosting({ leaves: 4 }) });
  const encoded = corpus.map(sentence => model.encode(sentence));
  learner.begin(settleCorpus(model, encoded));
  for (let i = 0; i < 3; i += 1) learner.iterate();
  return writeModel(learner);
}

/** A model with a learned tokenizer, and one that tags a further column. */
async function withTokenizer(): Promise<Uint8Array> {
  const records = await conlluDocuments(smallTreebank(30, 4));
  const wanted = { corpus: records, ...smallTagger, tokenize: { tokenizer: 'learned' } } as const;
  return (await trainModel(wanted)).bytes;
}

const files: [string, () => Uint8Array | Promise<Uint8Array>][] = [
  ...modelKinds.map(([name, options, sentences]): (typeof files)[number] => [
    `a model ${name}`,
    () => writeModel(train(sentences.slice(0, 20), options)),
  ]),
  [
    'a compact model',
    () => writeModel(train(corpus, { spec: { templates: words } }), { compact: true }),
  ],
  ['trees', ofTrees],
  ['a bundle with a tokenizer', withTokenizer],
  [
    'a bundle of several models',
    () =>
      bundleModels([
        { bytes: plain, column: 'pos' },
        { bytes: plain, column: 'ner' },
      ]),
  ],
];

/** Whether a file is refused by all that read it to tag, with an error that says that the file is wrong. */
function isRefused(bytes: Uint8Array): boolean {
  const refusals = [
    () => Tagger.fromBytes(bytes, { source: 'some.model' }),
    () => requireReadable(bytes, 'some.model'),
  ].map(read => {
    try {
      read();
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof TagstreamError)) throw thrown;
      expect(codes).toContain(thrown.code);
      return thrown.code;
    }
  });
  return refusals.every(code => code !== undefined);
}

for (const { rows, tags } of everyNth(6, files))
  describe.each(rows)('%s', { tags }, (_, make) => {
    it('is refused if any byte of it changes', async () => {
      const bytes = Uint8Array.from(await make());
      expect(isRefused(bytes)).toBe(false);
      const random = randomOf(97);
      const headerEnd = 24 + new DataView(bytes.buffer).getUint32(8, true);
      const accepted: string[] = [];
      const change = (at: number, by: number) => {
        bytes[at]! ^= by;
        if (!isRefused(bytes)) accepted.push(`byte ${at} changed by ${by}`);
        bytes[at]! ^= by;
      };
      // The preamble with all values, the rest of the header with one, and others at random.
      for (let at = 0; at < 24; at += 1) for (let by = 1; by < 256; by += 1) change(at, by);
      for (let at = 24; at < headerEnd; at += 1) change(at, 1 + random.below(255));
      for (let i = 0; i < (longForm ? 5000 : 200); i += 1) {
        change(random.below(bytes.length), 1 + random.below(255));
      }
      // The last bytes are those after the last section.
      for (let at = bytes.length - 8; at < bytes.length; at += 1) change(at, 1 << random.below(8));
      expect(accepted).toEqual([]);
      expect(readModelHeader(bytes, 'some.model').labels.length).toBeGreaterThan(0);
    });
  });
