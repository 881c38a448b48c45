import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { writeModel } from '../../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { counts } from '../../../../src/engine/optimizers/counts.js';
import type { ChainScores } from '../../../contracts/oracle/chain-scores.js';
import { difference } from '../../../contracts/oracle/differences/difference.js';
import { linearScoresOf } from '../../../contracts/oracle/scores-of.js';
import { HmmTables, type TableShape } from '../../../contracts/oracle/tables/hmm-tables.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { digest } from '../../models/examples/digest.js';
import {
  chain,
  countedModel,
  countStream,
  hmmCorpus,
  hmmLearner,
  hmmTemplates,
  hmmWord,
} from '../../models/examples/hmm-corpus.js';
import { modelWith } from '../../models/examples/model-with.js';

function scoresIn(model: Model, sentence: Sentence): ChainScores {
  return linearScoresOf(model.parameters, model.encodeKnown(sentence));
}

function shapeOf(model: Model, shape: Partial<TableShape> = {}): TableShape {
  const smoothing = { k: 0.001, transitionK: 1, minCount: 2 };
  return { labels: model.labels.names, chain, ...smoothing, ...shape };
}

/** How far the scores of a model are from those of the tables, in sentences of any words. */
function apart(model: Model, tables: HmmTables, sentences: readonly Sentence[]): number {
  const differences = sentences.map(sentence => {
    const found = scoresIn(model, sentence);
    const expected = tables.scores(sentence);
    const [own, others] = [found, expected].map(({ emissions, transitions }) => [
      ...emissions.flat(),
      ...transitions.slice(1).flat(2),
    ]);
    return difference(own!, others!);
  });
  return Math.max(...differences);
}

function anySentences(random: Random, count: number): Sentence[] {
  return Array.from({ length: count }, () => {
    const tokens = Array.from({ length: 1 + random.below(4) }, () => hmmWord(random, 'abcdef'));
    return sentenceOf(tokens, { columns: { n: tokens.map(() => random.normal()) } });
  });
}

const noRows = new Uint32Array(0);

describe('counts', () => {
  const corpus = [
    sentenceOf(['the', 'dog', 'sings'], { tags: ['D', 'N', 'V'] }),
    sentenceOf(['the', 'cat', 'sings'], { tags: ['D', 'N', 'V'] }),
    sentenceOf(['dogs', 'sing'], { tags: ['N', 'V'] }),
  ];

  it('gives the numbers worked by hand', () => {
    const templates = 'U0:%x[0,0]\nU1:%suffix[0,0,1]\nB';
    const options = { k: 0.5, transitionK: 1, minCount: 2 };
    const model = countedModel(corpus, { templates, options });
    const [D, N, V] = ['D', 'N', 'V'].map(name => model.labels.find(name)) as [
      number,
      number,
      number,
    ];
    const p = (token: string, label: number, t = 1) => {
      const tokens = t === 0 ? [token, 'the'] : ['the', token];
      return Math.exp(scoresIn(model, sentenceOf(tokens)).emissions[t]![label]!);
    };
    // Entries: the (2), sings (2); of dog, cat, dogs, sing the letter g (2); what is left, t and s, is unknown. V = 4.
    expect(p('the', D)).toBeCloseTo((2 + 0.5) / (2 + 0.5 * 4), 12);
    expect(p('the', N)).toBeCloseTo(0.5 / (3 + 0.5 * 4), 12);
    expect(p('sings', V)).toBeCloseTo((2 + 0.5) / (3 + 0.5 * 4), 12);
    expect(p('dog', N)).toBeCloseTo((1 + 0.5) / (3 + 0.5 * 4), 12);
    expect(p('sing', V)).toBeCloseTo((1 + 0.5) / (3 + 0.5 * 4), 12);
    expect(p('bag', N)).toBeCloseTo((1 + 0.5) / (3 + 0.5 * 4), 12);
    expect(p('cat', N)).toBeCloseTo((2 + 0.5) / (3 + 0.5 * 4), 12);
    expect(p('zoo', N)).toBeCloseTo((2 + 0.5) / (3 + 0.5 * 4), 12);
    expect(p('zoo', D)).toBeCloseTo(0.5 / (2 + 0.5 * 4), 12);
    // First labels: D twice, N once.
    expect(p('the', D, 0) / p('the', D)).toBeCloseTo((2 + 1) / (3 + 3), 12);
    expect(p('the', V, 0) / p('the', V)).toBeCloseTo(1 / (3 + 3), 12);
    const { transitions } = scoresIn(model, sentenceOf(['the', 'dog']));
    expect(Math.exp(transitions[1]![D]![N]!)).toBeCloseTo((2 + 1) / (2 + 3), 12);
    expect(Math.exp(transitions[1]![N]![V]!)).toBeCloseTo((3 + 1) / (3 + 3), 12);
    expect(Math.exp(transitions[1]![V]![D]!)).toBeCloseTo(1 / 3, 12);
  });

  it.each([1, 2, 3])('gives the tables of the definition, with minCount %i', minCount => {
    const random = new Random(800 + minCount);
    for (let i = 0; i < 12; i += 1) {
      const sentences = hmmCorpus(random, 5 + 6 * i);
      const options = { k: [0.001, 0.1, 2][i % 3]!, transitionK: [1, 0.01][i % 2]!, minCount };
      const model = countedModel(sentences, { options });
      const tables = new HmmTables(sentences, shapeOf(model, options));
      expect(apart(model, tables, [...sentences, ...anySentences(random, 20)])).toBeLessThan(1e-9);
    }
  });

  it('gives densities of numbers as the textbook has them, beside words', () => {
    const random = new Random(811);
    for (const templates of ['U0:%v[0,n]\nU1:%vv[0,n]', `${hmmTemplates}\nU3:%v[0,n]`]) {
      const sentences = hmmCorpus(random, 40).map(sentence => ({ ...sentence, weight: 1 }));
      const model = countedModel(sentences, { templates });
      const words = templates.startsWith(hmmTemplates) ? chain : [];
      const tables = new HmmTables(sentences, shapeOf(model, { chain: words, numbers: 'n' }));
      const found = anySentences(random, 40);
      expect(apart(model, tables, found)).toBeLessThan(1e-9);
    }
  });

  it('floors a variance, and gives a label without tokens that of all', () => {
    const numbers = [sentenceOf(['a', 'b'], { tags: ['X', 'X'], columns: { n: [3, 3] } })];
    const learner = hmmLearner({ templates: 'U0:%v[0,n]', options: { varianceFloor: 0.25 } });
    countStream(learner, numbers);
    const { model } = learner;
    const densityAt = (x: number, label: string) =>
      scoresIn(model, sentenceOf(['a', 'a'], { columns: { n: [x, x] } })).emissions[1]![
        model.labels.find(label)
      ]!;
    const expected = -Math.log(2 * Math.PI * 0.25) / 2;
    expect(densityAt(3, 'X')).toBeCloseTo(expected, 10);
    expect(densityAt(4, 'X')).toBeCloseTo(expected - 1 / (2 * 0.25), 10);
    model.encode(sentenceOf(['a'], { tags: ['Y'], columns: { n: [0] } }));
    model.reserve();
    learner.optimizer.prepare();
    expect(densityAt(4, 'Y')).toBeCloseTo(densityAt(4, 'X'), 10);
  });

  it('makes the probabilities of all words and labels of a closed vocabulary sum to 1', () => {
    const random = new Random(812);
    const sentences = hmmCorpus(random, 30, ['X', 'Y']);
    const model = countedModel(sentences);
    const tables = new HmmTables(sentences, shapeOf(model));
    // A token for each entry: a word of it whose own entry it is; of the unknown, a letter that never came.
    const candidates = [
      ...new Set(sentences.flatMap(({ tokens }) => tokens)),
      ...['zz', 'zzz'],
      ...[...'abcd'].flatMap(y => [...'abcdz'].map(x => `z${x}${y}`)),
      ...[...'abcd'].map(y => `zzz${y}`),
      ...[...'abcd'].flatMap(x => [...'abcd'].map(y => `zz${x}${y}`)),
    ];
    const words = new Map(candidates.map(word => [tables.entryOf(word), word]));
    expect(words.size).toBe(tables.entries.length);
    expect(words.size).toBeGreaterThan(12);
    const tokens = [...words.values()];
    let sum = 0;
    for (const one of tokens) {
      for (const two of tokens) {
        const { emissions, transitions } = scoresIn(model, sentenceOf([one, two]));
        for (const y of [0, 1]) {
          for (const z of [0, 1]) {
            sum += Math.exp(emissions[0]![y]! + transitions[1]![y]![z]! + emissions[1]![z]!);
          }
        }
      }
    }
    expect(sum).toBeCloseTo(1, 10);
  });

  it('has on a stream the tables of a pass, whatever the order and the minibatches', () => {
    const sentences = hmmCorpus(new Random(813), 50);
    const bytesOf = (order: readonly Sentence[], batch: number, epochs: number) => {
      const learner = hmmLearner();
      const { model } = learner;
      const corpus = settleCorpus(
        model,
        sentences.map(sentence => model.encode(sentence)),
      );
      if (epochs === 0) {
        model.frozen = false;
        countStream(learner, order, batch);
        return digest(writeModel(learner));
      }
      for (let pass = 1; pass <= epochs; pass += 1) {
        for (const [i, encoded] of corpus.entries()) {
          const passEnd = i === corpus.length - 1 ? { passEnd: pass } : {};
          learner.apply(learner.contribute(packMinibatch([{ ...encoded, ...passEnd }])));
        }
      }
      return digest(writeModel(learner));
    };
    const bytes = bytesOf(sentences, 1, 0);
    expect(bytesOf(sentences.toReversed(), 8, 0)).toBe(bytes);
    expect(bytesOf(sentences, 1, 1)).toBe(bytes);
    expect(bytesOf(sentences, 1, 3)).toBe(bytes);
    expect(bytesOf(sentences.slice(1), 1, 0)).not.toBe(bytes);
  });

  it('takes up what a stream has brought whenever it has doubled, and new labels at once', () => {
    const sentences = hmmCorpus(new Random(814), 40);
    const learner = hmmLearner();
    const { model } = learner;
    const writings: number[] = [];
    let before = '';
    for (const [i, sentence] of sentences.entries()) {
      countStream(learner, [sentence]);
      const now = JSON.stringify(scoresIn(model, sentences[0]!));
      if (now !== before) writings.push(i + 1);
      before = now;
    }
    expect(writings).toEqual([1, 2, 4, 5, 8, 16, 32]);
    const tables = () => new HmmTables(sentences.slice(0, 32), shapeOf(model));
    expect(apart(model, tables(), sentences)).toBeLessThan(1e-9);
    model.encode(sentenceOf(['new'], { tags: ['new'] }));
    learner.contribute(packMinibatch([model.encodeKnown(sentences[0]!)]));
    expect(model.labels.names).toHaveLength(4);
    const all = new HmmTables(sentences, shapeOf(model));
    expect(apart(model, all, sentences)).toBeLessThan(1e-9);
  });

  it('scores each sentence of a first pass before it is counted', () => {
    const learner = hmmLearner({ templates: 'U0:%x[0,0]\nB' });
    const { model } = learner;
    const corpus = [['a', 'b'], ['a']].map(tokens =>
      model.encode(sentenceOf(tokens, { tags: tokens.map(token => token.toUpperCase()) })),
    );
    const first = learner.contribute(packMinibatch([corpus[0]!]));
    // Two labels, nothing counted: (1/2)(1/2), and one entry, for all words.
    expect(first.loss).toBeCloseTo(2 * Math.log(2), 12);
    learner.apply(first);
    const second = learner.contribute(packMinibatch([corpus[1]!]));
    // First label A: (1 + 1) / (1 + 2). One word each is less than minCount.
    expect(second.loss).toBeCloseTo(-Math.log(2 / 3), 12);
  });

  it('leaves the count of a word that goes to its class, and of a class to the next', () => {
    const sentences = hmmCorpus(new Random(815), 60).map(each => ({ ...each, weight: 1 }));
    const learner = hmmLearner({ options: { minCount: 1 } });
    countStream(learner, sentences, 5);
    const { model } = learner;
    const rowOf = (text: string, place: number) =>
      model.encodeKnown(sentenceOf([text, text])).stateRows[place]!;
    const word = sentences.flatMap(({ tokens }) => tokens).find(token => token.length === 3)!;
    // At the first token of two: word, two letters, one letter, the constant, the first token.
    const gone = Uint32Array.of(rowOf(word, 0), rowOf(word, 1));
    model.parameters.clear(gone, noRows);
    learner.optimizer.forget!(gone, noRows);
    learner.optimizer.prepare();
    const [, two] = chain;
    const without = chain.map(
      (classOf, level) => (token: string) =>
        (level === 0 && token === word) || (level === 1 && two!(token) === two!(word))
          ? undefined
          : classOf(token),
    );
    const shape = shapeOf(model, { chain: without, minCount: 1 });
    const kept = sentences.filter(({ tokens }) => !tokens.some(token => token === word));
    const tables = new HmmTables(sentences, shape);
    expect(kept.length).toBeGreaterThan(40);
    // The index still knows these features: without weights they change nothing.
    expect(apart(model, tables, [sentenceOf([word, word]), ...sentences])).toBeLessThan(1e-9);
    expect([...learner.optimizer.kept!()].sort()).toEqual([rowOf(word, 3), rowOf(word, 4)].sort());
  });

  it('keeps its tables proper when a class comes back later than its words', () => {
    const sentences = hmmCorpus(new Random(816), 60).map(each => ({ ...each, weight: 1 }));
    const learner = hmmLearner({ options: { minCount: 1 } });
    countStream(learner, sentences.slice(0, 40), 5);
    const { model } = learner;
    const probe = model.encodeKnown(sentenceOf(['a', 'ba']));
    const gone = Uint32Array.of(probe.stateRows[probe.stateStarts[1]! + 1]!);
    model.parameters.clear(gone, noRows);
    learner.optimizer.forget!(gone, noRows);
    countStream(learner, sentences.slice(40), 5);
    learner.optimizer.deploy(model.parameters.weights);
    const words = [...new Set(sentences.flatMap(({ tokens }) => tokens))];
    const { emissions } = scoresIn(model, sentenceOf(['a', ...words]));
    for (const y of model.labels.names.keys()) {
      const sum = words.reduce((all, _, t) => all + Math.exp(emissions[t + 1]![y]!), 0);
      expect(Number.isFinite(sum)).toBe(true);
      // Each word has an entry; those of classes and of the unknown take the rest.
      expect(sum).toBeLessThan(1 + 1e-9);
      expect(sum).toBeGreaterThan(0.9);
    }
  });

  it('stays proper on a stream whose words never end, of which most are forgotten', () => {
    const templates = 'U0:%x[0,0]\nB';
    const limit = { features: 30, bytes: 2 ** 20 };
    const model = createModel({ templates, scorer: 'hmm' }, limit, kernels.simd64);
    const options = { minCount: 1, k: 0.1 };
    const learner = createOnlineLearner(model, {
      loss: jointLoss,
      optimizer: counts,
      options,
      corpusSize: 1,
    });
    let evicted = 0;
    learner.onEvicted = features => {
      evicted += features;
    };
    const random = new Random(817);
    const words = new Set<string>();
    for (let i = 0; i < 400; i += 1) {
      const tokens = [`often${i % 5}`, hmmWord(random), `once${i}`];
      countStream(learner, [sentenceOf(tokens, { tags: ['X', 'Y', 'XYZ'[i % 3]!] })]);
      for (const token of tokens) words.add(token);
      if (i % 40 !== 39) continue;
      learner.optimizer.prepare();
      learner.optimizer.deploy(model.parameters.weights);
      // Each word that is still known has been counted; without a row it is the first token's that stands before the constant.
      const kept = [...learner.optimizer.kept!()];
      const hasEntry = (word: string) =>
        !kept.includes(model.encodeKnown(sentenceOf(['-', word])).stateRows.at(-2)!);
      const entries = [...[...words].filter(hasEntry), 'unknown'];
      const { emissions } = scoresIn(model, sentenceOf(['-', ...entries]));
      for (const y of model.labels.names.keys()) {
        const sum = entries.reduce((all, _, t) => all + Math.exp(emissions[t + 1]![y]!), 0);
        expect(sum).toBeCloseTo(1, 9);
      }
      expect(entries.length).toBeGreaterThan(10);
      expect(model.stateIndex.size).toBeLessThan(60);
      expect(kept).toHaveLength(2);
    }
    expect(evicted).toBeGreaterThan(300);
  });

  it('needs tables, and float64', () => {
    const linear = createModel({ templates: 'U0:%x[0,0]\nB' }, undefined, kernels.simd64);
    const made = createOnlineLearner(linear, { loss: logLoss, optimizer: counts, corpusSize: 1 });
    expect(() => made.optimizer).toThrow(
      expect.objectContaining({
        code: 'config',
        problem: 'the optimizer counts cannot be combined with the scorer linear',
        fix: expect.stringContaining('scorer: hmm'),
      }),
    );
    const rough = modelWith(kernels.simd, { templates: hmmTemplates, scorer: 'hmm' });
    const coarse = createOnlineLearner(rough, {
      loss: jointLoss,
      optimizer: counts,
      corpusSize: 1,
    });
    expect(() => coarse.optimizer).toThrow(
      expect.objectContaining({ fix: expect.stringContaining('simd64') }),
    );
    expect(createModel({ templates: hmmTemplates, scorer: 'hmm' }).kernel).toBe(kernels.simd64);
  });

  it.each([{ k: 0 }, { transitionK: 0 }, { minCount: 0 }, { varianceFloor: 0 }])(
    'refuses %j',
    wrong => {
      expect(counts.options.safeParse(wrong).success).toBe(false);
    },
  );
});
