import { describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { Decoder } from '../../../../src/engine/models/decoding/decoder.js';
import {
  contentsOf,
  modelPieces,
  readModel,
  writeModel,
  writeParameters,
} from '../../../../src/engine/models/files/model-file.js';
import {
  modelFormatVersion,
  readModelHeader,
} from '../../../../src/engine/models/files/model-header.js';
import {
  readSections,
  type Sections,
  writeSections,
} from '../../../../src/engine/models/files/section-file.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../../src/engine/models/model.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { perceptron } from '../../../../src/engine/optimizers/perceptron.js';
import { everyNth } from '../../../house/long-forms.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { trainVoted } from '../examples/train-voted.js';

const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nB\nB0:%x[0,0]';
const hashed = { mode: 'hashed', rows: 64, edgeRows: 16 } as const;
const kinds: [string, Partial<ModelSpec> & Pick<ModelSpec, 'templates'>][] = [
  ['of all labels', { templates }],
  ['of observed pairs', { templates, support: 'observed' }],
  ['without transitions', { templates: 'U0:%x[0,0]\nU1:%x[1,0]' }],
  ['with a cutoff', { templates, index: { mode: 'exact', cutoff: 3 } }],
  ['of hashed features', { templates, index: hashed }],
  ['of hashed features, observed pairs', { templates, index: hashed, support: 'observed' }],
  ['of numbers', { templates: `${templates}\nU2:%v[0,n]\nB1:%v[0,n]`, columns: ['form', 'n'] }],
];
const corpus = smallCorpus(new Random(1), 40);
const strangers = [...corpus, sentenceOf(['new', 'w1', 'newer'], { columns: { n: [1, 2, 0] } })];

/** All that voters say of the sentences. */
function decoded(model: Model, parameters: Model['parameters'], sentences: readonly Sentence[]) {
  const batch = packMinibatch(sentences.map(sentence => model.encodeKnown(sentence)));
  const asked = { marginals: true, probability: true, nbest: 9 };
  return new Decoder(model.kernel, model).decode(parameters, batch, asked);
}

/** State and edge features that only voters have. */
function ownKeys(bytes: Uint8Array): number[] {
  const file = readSections(bytes, modelFormatVersion, 'm');
  const names = ['voters.keys', 'voters.edgeKeys'];
  return names.map(name => file.section(name, 'Uint32Array').length / 2);
}

for (const part of everyNth(3, kinds)) {
  describe.each(part.rows)('the file of a voted model %s', { tags: part.tags }, (_, spec) => {
    const learner = trainVoted(corpus, spec);
    const bytes = writeModel(learner);

    it('has the votes, tags and shares of the learner', () => {
      const model = readModel(bytes);
      const deployed = learner.deployedParameters();
      expect(readModelHeader(bytes).voters).toEqual(deployed.voters!.votes);
      expect(model.parameters.voters!.votes.length).toBeGreaterThan(20);
      const expected = decoded(learner.model, deployed, strangers);
      expect(decoded(model, model.parameters, strangers)).toEqual(expected);
      expect(decoded(model, model.parameters, strangers)).toEqual(expected);
      expect(new Set(expected.probabilities).size).toBeGreaterThan(10);
    });

    it('is read by a kernel of other numbers with the same votes', () => {
      const [narrow, wide] = [bytes, bytes].map((each, i) => {
        const model = readModel(each, 'm', new SimdKernel(i === 0 ? 'float32' : 'float64'));
        return decoded(model, model.parameters, strangers);
      });
      if (spec.columns === undefined) expect(wide).toEqual(narrow);
      else expect(wide!.scores.length).toBe(narrow!.scores.length);
    });

    it('is the same taken apart and put together, written twice, and written as it was read', () => {
      expect(joined(modelPieces(contentsOf(bytes)))).toEqual(bytes);
      expect(writeModel(learner)).toEqual(bytes);
      const model = readModel(bytes);
      expect(writeParameters(model, model.parameters)).toEqual(bytes);
      decoded(model, model.parameters, strangers);
      expect(writeParameters(model, model.parameters)).toEqual(bytes);
    });

    it('holds the average beside the voters, as the file of an averaged perceptron', () => {
      const model = readModel(bytes);
      const averaged = createOnlineLearner(learner.model, {
        loss: perceptronLoss,
        optimizer: perceptron,
      });
      expect(averaged.optimizer.name).toBe('perceptron');
      const plain = learner.deployedParameters();
      plain.voters = undefined;
      const expected = decoded(learner.model, plain, strangers);
      model.parameters.voters = undefined;
      expect(decoded(model, model.parameters, strangers)).toEqual(expected);
    });
  });
}

describe('the file of a voted model', () => {
  it.each(['all', 'observed'] as const)(
    'has features whose weights are 0 on the average, where %s labels have weights',
    support => {
      // Found by trying: weights of a word, and of transitions into one, that add up to 0.
      const three = smallCorpus(new Random(1248), 3, { labels: 3, words: 5, longest: 4 });
      const learner = trainVoted(three, { templates, support }, { passes: 1 });
      const bytes = writeModel(learner);
      expect(ownKeys(bytes)).toEqual([1, 1]);
      const model = readModel(bytes);
      expect(model.stateIndex.size).toBe(readModelHeader(bytes).stateFeatures + 1);
      const expected = decoded(learner.model, learner.deployedParameters(), three);
      expect(decoded(model, model.parameters, three)).toEqual(expected);
      expect(writeParameters(model, model.parameters)).toEqual(bytes);
      expect(joined(modelPieces(contentsOf(bytes)))).toEqual(bytes);
    },
  );

  const learner = trainVoted(corpus, { templates, support: 'observed' }, { voters: 3 });
  const whole = writeModel(learner);
  const parts = () => {
    const file = readSections(whole, modelFormatVersion, 'm');
    const { sections: table, ...header } = file.header as {
      sections: { name: string; type: 'Uint32Array' }[];
    };
    const sections: Record<string, Sections[string]> = {};
    for (const { name, type } of table) sections[name] = file.section(name, type);
    return { header: header as Record<string, unknown>, sections };
  };

  /** The file with a section that is another. */
  function altered(name: string, change: (section: Uint32Array) => Sections[string]): Uint8Array {
    const { header, sections } = parts();
    const own = { ...sections, [name]: change(sections[name] as Uint32Array) };
    return joined(writeSections(modelFormatVersion, header, own));
  }

  const without = (section: Uint32Array) => section.slice(1);
  const repeated = (section: Uint32Array) => section.with(1, section[0]!);
  const huge = (section: Uint32Array) => section.with(0, 2 ** 16 - 1);
  it.each([
    ['voters.keys', () => Uint32Array.of(1), 'a feature of its voters'],
    ['voters.edgeKeys', () => Uint32Array.of(1, 2, 1, 2), 'a feature of its voters'],
    ['voters.rows', huge, 'a voter has no feature'],
    ['voters.rows', without, 'the weights of its voters are not complete'],
    ['voters.labels', huge, 'a voter has no feature'],
    ['voters.labels', (s: Uint32Array) => s.fill(0), 'a voter has no feature'],
    [
      'voters.features',
      (s: Uint32Array) => s.with(s.length - 1, 1000),
      'a voter has no transition',
    ],
    ['voters.from', huge, 'a voter has no transition'],
    ['voters.to', without, 'the transitions of its voters are not complete'],
    ['voters.starts', without, 'its voters are not complete'],
    ['voters.starts', (s: Uint32Array) => s.with(1, s[3]! + 1), 'a voter has no end'],
    ['voters.places', huge, 'a voter has no such weight'],
    ['voters.places', repeated, 'a voter has a weight twice'],
    [
      'voters.values',
      (s: Uint32Array) => s.with(0, Number.NaN),
      'a weight of a voter is too large or not finite',
    ],
    ['voters.values', without, 'its voters are not complete'],
  ] as const)('is refused where %s is wrong', (name, change, problem) => {
    expect(() => readModel(altered(name, change), 'some.model')).toThrow(problem);
    expect(() => contentsOf(altered(name, change), 'some.model')).toThrow(problem);
  });

  it('is refused where the votes are none, or not one for each voter', () => {
    for (const voters of [[], [1, 2], [1, 2, 0], [1, 2, 0.5], 'x']) {
      const { header, sections } = parts();
      const bytes = joined(writeSections(modelFormatVersion, { ...header, voters }, sections));
      expect(() => readModel(bytes)).toThrow(/the model file is damaged: (voters|its voters)/);
    }
  });

  it('tags by the average where a reader knows nothing of voters', () => {
    const { header, sections } = parts();
    const { voters: _, ...old } = header;
    const model = readModel(joined(writeSections(modelFormatVersion, old, sections)));
    expect(model.parameters.voters).toBeUndefined();
    const plain = learner.deployedParameters();
    plain.voters = undefined;
    const expected = decoded(learner.model, plain, strangers);
    expect(decoded(model, model.parameters, strangers)).toEqual(expected);
  });

  it('refuses a threshold, which would be of the average alone', () => {
    expect(() => writeModel(learner, { below: 0.5 })).toThrow('cannot drop small weights');
  });

  it('has no voters any more once it is learned on with', () => {
    const model = readModel(whole);
    const next = createOnlineLearner(model, {
      loss: perceptronLoss,
      optimizer: perceptron,
      corpusSize: 1,
    });
    next.apply(next.contribute(packMinibatch([model.encode(corpus[0]!)])));
    expect(model.parameters.voters).toBeUndefined();
  });
});
