import { describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { ExactIndex } from '../../../../src/engine/features/index/exact-index.js';
import { PackedIndex } from '../../../../src/engine/features/index/packed-index.js';
import { unpackKeys } from '../../../../src/engine/features/index/packed-keys.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import type { CompactHeader } from '../../../../src/engine/models/files/compact/compact-sections.js';
import {
  contentsOf,
  modelPieces,
  readModel,
  readTaggingModel,
  roundWeights,
  writeModel,
  writeParameters,
} from '../../../../src/engine/models/files/model-file.js';
import {
  newestFormatVersion,
  readModelHeader,
} from '../../../../src/engine/models/files/model-header.js';
import {
  readSections,
  type Sections,
  writeSections,
} from '../../../../src/engine/models/files/section-file.js';
import { explainSentence } from '../../../../src/engine/models/inspection/explain.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { everyNth, isNightly } from '../../../house/long-forms.js';
import { packOlder } from '../../features/index/packed-entries.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';
import { train } from '../examples/train.js';
import { corpus, modelKinds, words } from './model-kinds.js';

const compact = { compact: true };

/** Labels, scores and probabilities of all sentences. */
function decoded(model: Model, sentences: readonly Sentence[], parameters = model.parameters) {
  const batch = packMinibatch(sentences.map(sentence => model.encodeKnown(sentence)));
  const { labels, scores, marginals } = new Decoder(model.kernel).decode(parameters, batch, {
    marginals: true,
  });
  return { labels, scores, marginals };
}

/** The header and the sections of a model file, to be written with others. */
function partsOf(bytes: Uint8Array) {
  const file = readSections(bytes, newestFormatVersion, 'm');
  const { sections: table, ...header } = file.header as {
    compact: CompactHeader;
    sections: { name: string; type: 'Uint8Array' }[];
  };
  const sections: Record<string, Sections[string]> = {};
  for (const { name, type } of table) sections[name] = file.section(name, type);
  return { file, header, sections };
}

for (const part of everyNth(3, modelKinds)) {
  describe.each(part.rows)(
    'a compact model file %s',
    { tags: part.tags },
    (_, options, sentences) => {
      const learner = train(sentences, options);
      const bytes = writeModel(learner, compact);
      const strangers = [
        ...sentences,
        sentenceOf(['new', 'w1', 'newer'], { columns: { n: [1, 2, 0] } }),
      ];

      it('has the tags, scores and probabilities of the rounded weights, read in either way', () => {
        const rounded = learner.deployedParameters();
        roundWeights(rounded.weights, 64);
        const expected = decoded(learner.model, strangers, rounded);
        for (const read of [readModel, readTaggingModel]) {
          const model = read(bytes);
          expect(model.labels.names).toEqual(learner.model.labels.names);
          expect(model.spec).toEqual(learner.model.spec);
          expect(model.frozen).toBe(true);
          expect(decoded(model, strangers)).toEqual(expected);
        }
      });

      it('is read the same by all kernels', () => {
        for (const kernel of Object.values(kernels)) {
          const own = readModel(bytes, 'm', kernel);
          const shared = readTaggingModel(bytes, 'm', kernel);
          expect(decoded(shared, strangers)).toEqual(decoded(own, strangers));
        }
      });

      it('explains tags the same with shared rows', () => {
        const [first] = strangers;
        const explained = explainSentence(readTaggingModel(bytes), first!);
        expect(explained).toEqual(explainSentence(readModel(bytes), first!));
      });

      it('is the same after it was taken apart and put together, and written twice', () => {
        expect(joined(modelPieces(contentsOf(bytes)))).toEqual(bytes);
        expect(writeModel(learner, compact)).toEqual(bytes);
        const model = readModel(bytes);
        expect(readModelHeader(bytes).compact!.unit).toBe(64);
        const again = readModel(writeParameters(model, model.parameters));
        expect(decoded(again, strangers)).toEqual(decoded(model, strangers));
      });

      it('gives each feature of a model that is read to be trained a row of its own', () => {
        const model = readModel(bytes);
        const { stateFeatures } = readModelHeader(bytes);
        if (model.spec.index.mode === 'exact') expect(model.stateIndex.size).toBe(stateFeatures);
        expect(createOnlineLearner(model, { loss: logLoss, optimizer: sgd }).sentencesSeen).toBe(0);
      });
    },
  );
}

describe('a compact model file', () => {
  const shape = { labels: 12, wordsPerLabel: 60, longest: 12 };
  const templates = `${words}\nU3:%x[0,0]/%x[1,0]\nU4:%x[-1,0]/%x[0,0]`;
  const large = train(syntheticCorpus(new Random(4), 150, shape), { spec: { templates } });
  const bytes = writeModel(large, compact);

  it('is a small part of the other', () => {
    expect(bytes.length * 3).toBeLessThan(writeModel(large).length);
  });

  it('has one row for features of equal weights', () => {
    const { compact: said, stateFeatures } = readModelHeader(bytes);
    expect(said!.rows).toBeLessThan(stateFeatures / 2);
    expect(readTaggingModel(bytes).stateIndex.size).toBe(said!.rows);
  });

  it('is refused to be trained further, where it was read for tagging', () => {
    const model = readTaggingModel(bytes);
    expect(() => createOnlineLearner(model, { loss: logLoss, optimizer: sgd })).toThrow(
      'the model was read for tagging only: its features share weights (read its file with readModel',
    );
  });

  it('may hold a model that has learned nothing', () => {
    const empty = train(corpus.slice(0, 3), { spec: { templates: words }, passes: 0 });
    const written = writeModel(empty, compact);
    expect(readModel(written).stateIndex.size).toBe(0);
    expect(readTaggingModel(written).stateIndex.size).toBe(0);
  });

  it('is not compact where weights are too large to be written as whole numbers', () => {
    const learner = train(corpus, { spec: { templates: words } });
    learner.model.parameters.weights.state.view[0] = 2 ** 30;
    const written = writeModel(learner, compact);
    expect(readModelHeader(written).compact).toBeUndefined();
    expect(readTaggingModel(written).stateIndex.size).toBeGreaterThan(0);
  });

  const small = writeModel(
    train(syntheticCorpus(new Random(3), 4, { labels: 2, wordsPerLabel: 2, longest: 4 }), {
      spec: { templates: 'U:%x[0,0]\nB\nB:%x[0,0]' },
    }),
    compact,
  );

  /** The code that each way of reading refuses with; nothing where the model is read. */
  function refusals(altered: Uint8Array): (string | undefined)[] {
    return [readModel, readTaggingModel].map(read => {
      try {
        read(altered);
        return undefined;
      } catch (error) {
        return (error as { code?: string }).code ?? String(error);
      }
    });
  }

  it('is refused with any byte altered, or cut anywhere', () => {
    const random = new Random(8);
    for (let i = 0; i < (isNightly ? 300 : 100); i += 1) {
      const altered = small.slice();
      altered[random.below(small.length)]! ^= 1 + (random.next() & 0x7f);
      const cut = small.slice(0, random.below(small.length));
      for (const code of [...refusals(altered), ...refusals(cut)]) {
        expect(['model-damaged', 'model-format', 'model-version']).toContain(code);
      }
    }
  });

  it('is refused, or read without harm, with other numbers under right checksums', {
    tags: 'slow',
  }, () => {
    const random = new Random(5);
    const codes = new Set<string | undefined>();
    for (let i = 0; i < (isNightly ? 600 : 200); i += 1) {
      const { header, sections } = partsOf(small);
      const own = Object.keys(sections).filter(name => name.startsWith('state.'));
      const chosen = sections[own[i % own.length]!]!;
      const at = random.below(chosen.length);
      chosen[at] = random.next() & 0xff;
      for (const code of refusals(joined(writeSections(newestFormatVersion, header, sections)))) {
        codes.add(code);
        expect([undefined, 'model-damaged']).toContain(code);
      }
    }
    expect(codes.size).toBe(2);
  });

  /** The same model as a file of format version 8, whose fingerprints may be replaced. */
  function older(change: (keys: Uint32Array) => void = () => undefined): Uint8Array {
    const { header, sections } = partsOf(bytes);
    const { 'state.entries': entries, 'state.directory': numbers, ...others } = sections;
    const { directory: bits, unit, rows } = header.compact;
    const directory = { entries: entries as Uint32Array, directory: numbers as Uint16Array };
    const { keys, rowOf } = unpackKeys({ bits: bits!, ...directory }, rows)!;
    change(keys);
    const { packed, numbers: own } = packOlder(keys, rowOf);
    const { bits: table, buckets, highs, rests } = packed;
    return joined(
      writeSections(
        3,
        { ...header, compact: { unit, rows, bits: table } },
        {
          ...{ 'state.buckets': buckets, 'state.highs': highs, 'state.rests': rests },
          'state.numbers': own,
          ...others,
        },
      ),
    );
  }

  const given = syntheticCorpus(new Random(4), 20, shape);

  it('is read with the same results as one of format version 8', { tags: 'slow' }, () => {
    const [wanted, ...results] = [bytes, older()].flatMap(file =>
      [readTaggingModel, readModel].map(read => decoded(read(file), given)),
    );
    expect(readTaggingModel(older()).stateIndex).toBeInstanceOf(PackedIndex);
    for (const result of results) expect(result).toEqual(wanted);
    // Its features are in another order, for which there is no directory.
    const again = joined(modelPieces(contentsOf(older())));
    expect(readModelHeader(again).compact).toBeUndefined();
    expect(decoded(readTaggingModel(again), given)).toEqual(wanted);
  });

  it('of version 8 is read for tagging with a row for each feature where a bucket has too many', () => {
    const crowded = older(keys => {
      for (let i = 0; i < 40; i += 1) keys.set([i + 1, 0], 2 * i);
    });
    const small = older(keys => {
      for (let i = 0; i < 40; i += 1) keys.set([(i + 1) << 16, 0], 2 * i);
    });
    expect(readTaggingModel(small).stateIndex).toBeInstanceOf(ExactIndex);
    for (const file of [crowded, small]) {
      const [tagged, own] = [readTaggingModel, readModel].map(read => decoded(read(file), given));
      expect(tagged).toEqual(own);
    }
  });

  it.each([
    [{ unit: 0 }],
    [{ rows: -1 }],
    [{ rows: 1 }],
    [{ rows: 2 ** 30 }],
    [{ directory: 1 }],
    [{ directory: undefined }],
    [{ directory: undefined, bits: 16 }],
    [{ directory: 20 }],
    [{ directory: 60 }],
  ])('is refused with %j in its header', change => {
    const { header, sections } = partsOf(small);
    const other = { ...header, compact: { ...header.compact, ...change } };
    const codes = refusals(joined(writeSections(newestFormatVersion, other, sections)));
    expect(codes).toEqual(['model-damaged', 'model-damaged']);
  });
});
