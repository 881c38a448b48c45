import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { Iteration } from '../../../../src/engine/core/training/trainer.js';
import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { jointLoss } from '../../../../src/engine/losses/joint-loss.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { Model } from '../../../../src/engine/models/model.js';
import { type EmOptions, em } from '../../../../src/engine/trainers/em/em.js';
import { Objective } from '../../../../src/engine/trainers/objective.js';
import { linearScoresOf } from '../../../contracts/oracle/scores-of.js';
import type { TableShape } from '../../../contracts/oracle/tables/hmm-tables.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { chain, countedModel, hmmCorpus, hmmTemplates } from '../../models/examples/hmm-corpus.js';
import { modelWith } from '../../models/examples/model-with.js';
import { expectedTables, knownTables, objectiveOfTables } from './expected-tables.js';
import { labels, partlyKnown } from './partly-known.js';
import { scoresApart } from './scores-apart.js';

const full = process.env.TAGSTREAM_FULL === '1';

interface Made {
  readonly model: Model;
  readonly objective: Objective;
  readonly trainer: ReturnType<typeof em.create>;
}

function make(
  sentences: readonly Sentence[],
  options: Partial<EmOptions> = {},
  { templates = hmmTemplates, kernel = kernels.simd64 as Kernel, seed = 1 } = {},
): Made {
  const model = modelWith(kernel, { templates, columns: ['form', 'n'], scorer: 'hmm' });
  for (const label of labels) model.labels.intern(label);
  const encoded = settleCorpus(
    model,
    sentences.map(sentence => model.encode(sentence)),
  );
  model.reserve();
  const { parameters } = model;
  const corpus = [packMinibatch(encoded.slice(0, 5)), packMinibatch(encoded.slice(5))];
  const objective = new Objective({ kernel, parameters, corpus, loss: jointLoss });
  const order = { seed, shuffle: true };
  const trainer = em.create(em.options.parse(options), { objective: () => objective, order });
  return { model, objective, trainer };
}

function run({ trainer }: Made, most: number): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

describe('em', () => {
  it.each([
    ['simd64', 1],
    ['reference', 2],
  ] as const)(
    'has the tables that enumeration expects, with the kernel %s',
    { tags: 'slow' },
    (kernel, seed) => {
      const random = new Random(900 + seed);
      for (let i = 0; i < (full ? 10_000 : 6); i += 1) {
        const smoothing = {
          k: [0.001, 0.1, 2][i % 3]!,
          transitionK: [1, 0.01][i % 2]!,
          minCount: 1 + (i % 3),
        };
        const withNumbers = i % 2 === 0;
        const sentences = partlyKnown(random, hmmCorpus(random, full ? 6 + (i % 5) : 6 + i));
        const templates = withNumbers ? `${hmmTemplates}\nU3:%v[0,n]` : hmmTemplates;
        const made = make(
          sentences,
          { ...smoothing, decrease: 0 },
          { templates, kernel: kernels[kernel] },
        );
        const shape: TableShape = {
          ...{ labels, chain, ...smoothing },
          ...(withNumbers ? { numbers: 'n' } : {}),
        };
        // Numbers of some label are all but equal now and then, and their variance has fewer digits.
        const close = full && withNumbers ? 1e-7 : 1e-10;
        let tables = knownTables(sentences, shape);
        for (let iteration = 0; iteration < 4; iteration += 1) {
          tables = expectedTables(sentences, shape, tables);
          const { objective } = made.trainer.iterate();
          const expected = tables;
          expect(scoresApart(made.model, each => expected.scores(each), sentences)).toBeLessThan(
            close,
          );
          const value = objectiveOfTables(sentences, shape, tables);
          expect(Math.abs(objective - value)).toBeLessThan(close * Math.abs(value));
        }
      }
    },
  );

  it.each(['labels', 'random'] as const)(
    'never goes up from %s, and ends',
    { tags: 'slow' },
    start => {
      const random = new Random(910);
      let fell = 0;
      for (let i = 0; i < (full ? 30 : 12); i += 1) {
        const sentences = partlyKnown(random, hmmCorpus(random, 30));
        const templates = [hmmTemplates, `${hmmTemplates}\nU3:%v[0,n]`, 'U:%v[0,n]'][i % 3]!;
        const options = { start, decrease: 1e-7, k: [0.001, 0.5][i % 2]! };
        const iterations = run(make(sentences, options, { templates, seed: i }), 3000);
        for (const [n, { objective }] of iterations.entries()) {
          if (n === 0) continue;
          const before = iterations[n - 1]!.objective;
          expect(objective).toBeLessThanOrEqual(before + 1e-10 * Math.abs(before));
          if (objective < before) fell += 1;
        }
        expect(iterations.at(-1)!.ending).toBe('decrease');
      }
      expect(fell).toBeGreaterThan(full ? 300 : 100);
    },
  );

  it('has the tables of counts where all labels are known, and is done at once', () => {
    const sentences = hmmCorpus(new Random(920), 40).map(each => ({ ...each, weight: 2 }));
    const made = make(sentences, {}, { templates: `${hmmTemplates}\nU3:%v[0,n]` });
    const counted = countedModel(sentences, { templates: `${hmmTemplates}\nU3:%v[0,n]` });
    const iterations = run(made, 10);
    expect(iterations.map(({ ending }) => ending)).toEqual(['gradient']);
    const byName = (sentence: Sentence) => {
      const { emissions, transitions } = linearScoresOf(
        counted.parameters,
        counted.encodeKnown(sentence),
      );
      const order = labels.map(label => counted.labels.find(label));
      const permuted = (row: readonly number[]) => order.map(y => row[y]!);
      return {
        emissions: emissions.map(permuted),
        transitions: transitions.map(matrix => order.map(y => permuted(matrix[y]!))),
      };
    };
    expect(scoresApart(made.model, byName, sentences)).toBeLessThan(1e-12);
  });

  it('finds the model that simulated words are from, without any label', { tags: 'slow' }, () => {
    const random = new Random(930);
    const stay = 0.8;
    const emits = [
      [0.7, 0.2, 0.1, 0, 0, 0],
      [0, 0, 0.1, 0.6, 0.3, 0],
      [0.1, 0, 0, 0, 0.2, 0.7],
    ];
    const draw = (probabilities: readonly number[]) => {
      let left = random.uniform();
      return probabilities.findIndex(p => {
        left -= p;
        return left < 0;
      });
    };
    const transitions = labels.map((_, y) => labels.map((__, z) => (y === z ? stay : 0.1)));
    const sentences = Array.from({ length: 400 }, () => {
      let y = random.below(3);
      const tokens = Array.from({ length: 25 }, (_, t) => {
        if (t > 0) y = draw(transitions[y]!);
        return 'abcdef'[draw(emits[y]!)]!;
      });
      return { ...sentenceOf(tokens), partialTags: tokens.map(() => null) };
    });
    const options = { start: 'random', k: 0.01, transitionK: 0.01, decrease: 1e-7 } as const;
    const made = make(sentences, options, { templates: 'U:w%x[0,0]' });
    run(made, 500);
    const scores = linearScoresOf(
      made.model.parameters,
      made.model.encodeKnown(sentenceOf(['a', ...'abcdef'])),
    );
    const p = (y: number, word: number) => Math.exp(scores.emissions[word + 1]![y]!);
    // The state that says a the most, and so on: numbers of states are arbitrary.
    const states = [0, 3, 5].map(word => {
      const all = labels.map((_, y) => p(y, word));
      return all.indexOf(Math.max(...all));
    });
    expect(new Set(states).size).toBe(3);
    for (const [i, y] of states.entries()) {
      for (let word = 0; word < 6; word += 1) {
        expect(Math.abs(p(y, word) - emits[i]![word]!)).toBeLessThan(0.04);
      }
      for (const [j, z] of states.entries()) {
        const found = Math.exp(scores.transitions[1]![y]![z]!);
        expect(Math.abs(found - transitions[i]![j]!)).toBeLessThan(0.04);
      }
    }
  });

  it.each(['labels', 'random'] as const)('resumes to the same bytes, started from %s', start => {
    const random = new Random(940);
    const sentences = partlyKnown(random, hmmCorpus(random, 40));
    const options = { start, decrease: 1e-9 } as const;
    const whole = make(sentences, options);
    const iterations = run(whole, 20);
    const first = make(sentences, options);
    run(first, 4);
    const second = make(sentences, options);
    second.trainer.restore(structuredClone(first.trainer.save()));
    expect(second.objective.weights()).toEqual(first.objective.weights());
    expect(run(second, 16)).toEqual(iterations.slice(4));
    expect(second.objective.weights()).toEqual(whole.objective.weights());
  });

  it('starts from some label, or says how else', () => {
    const sentences = [{ ...sentenceOf(['a', 'b']), partialTags: [null, labels] }];
    const { trainer } = make(sentences);
    expect(() => trainer.iterate()).toThrow(
      expect.objectContaining({ code: 'config', fix: expect.stringContaining('start: random') }),
    );
    expect(() => make(sentences, {}, { kernel: kernels.simd })).toThrow(/float32/);
  });
});
