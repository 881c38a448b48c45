import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import { jointLoss } from '../../../src/engine/losses/joint-loss.js';
import { writeModel } from '../../../src/engine/models/files/model-file.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { createOnlineLearner, type Learner } from '../../../src/engine/models/learning/learner.js';
import { settleCorpus } from '../../../src/engine/models/learning/settle-corpus.js';
import { type StepwiseEmOptions, stepwiseEm } from '../../../src/engine/optimizers/stepwise-em.js';
import { em } from '../../../src/engine/trainers/em/em.js';
import { Objective } from '../../../src/engine/trainers/objective.js';
import { HmmTables } from '../../contracts/oracle/tables/hmm-tables.js';
import { digest } from '../models/examples/digest.js';
import { chain, hmmCorpus, hmmTemplates } from '../models/examples/hmm-corpus.js';
import { modelWith } from '../models/examples/model-with.js';
import { completed } from '../trainers/em/expected-tables.js';
import { labels, partlyKnown } from '../trainers/em/partly-known.js';
import { scoresApart } from '../trainers/em/scores-apart.js';

const smoothing = { k: 0.01, transitionK: 0.5, minCount: 2 };

function learnerOf(options: Partial<StepwiseEmOptions>, names = labels): Learner {
  const columns = ['form', 'n'];
  const model = modelWith(kernels.simd64, { templates: hmmTemplates, columns, scorer: 'hmm' });
  for (const label of names) model.labels.intern(label);
  return createOnlineLearner(model, {
    loss: jointLoss,
    optimizer: stepwiseEm,
    options,
    corpusSize: 1,
  });
}

/** Learns a minibatch as a stream brings it. */
function learn(learner: Learner, sentences: readonly Sentence[]): void {
  const encoded = sentences.map(sentence => learner.model.encode(sentence));
  learner.apply(learner.contribute(packMinibatch(encoded)));
}

const weightOf = ({ weight = 1 }: Sentence) => weight;
const sumOf = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

describe('stepwise-em', () => {
  it.each([0.5, 0.7, 1])(
    'has the tables that enumeration gives, with the power %d',
    { tags: 'slow' },
    power => {
      const random = new Random(950);
      for (let run = 0; run < 4; run += 1) {
        const learner = learnerOf({ ...smoothing, power, warmUp: 0 });
        const all = partlyKnown(random, hmmCorpus(random, 40));
        const batches = [0, 1, 2, 3, 4].map(i => all.slice(8 * i, 8 * i + 8));
        const shape = { labels, chain, ...smoothing };
        const labelled: Sentence[] = [];
        let expected: Sentence[] = [];
        let seen: Sentence[] = [];
        let tables: HmmTables | undefined;
        for (const [k, batch] of batches.entries()) {
          const others = batch.filter(({ tags }) => tags === undefined);
          const weight = sumOf(others.map(weightOf));
          const eta = (k + 2) ** -power;
          const flat = {
            emissions: (count: number) => Array.from({ length: count }, () => labels.map(() => 0)),
          };
          const scoresOf = (sentence: Sentence) =>
            tables?.scores(sentence) ?? {
              // No counts: labels are equal.
              emissions: flat.emissions(sentence.tokens.length),
              transitions: sentence.tokens.map(() => flat.emissions(3)),
            };
          const scaled = (sentence: Sentence, factor: number) => ({
            ...sentence,
            weight: weightOf(sentence) * factor,
          });
          expected = [
            ...expected.map(sentence => scaled(sentence, 1 - eta)),
            ...others
              .flatMap(sentence => completed(sentence, labels, scoresOf(sentence)))
              .map(sentence => scaled(sentence, eta / weight)),
          ];
          labelled.push(...batch.filter(({ tags }) => tags !== undefined));
          seen = [...seen, ...batch];
          const mass = sumOf(seen.filter(({ tags }) => tags === undefined).map(weightOf));
          tables = new HmmTables(
            [...labelled, ...expected.map(sentence => scaled(sentence, mass))],
            {
              ...shape,
              vocabulary: seen,
            },
          );
          learn(learner, batch);
          const { scores } = { scores: tables.scores.bind(tables) };
          expect(scoresApart(learner.model, scores, all)).toBeLessThan(1e-10);
        }
      }
    },
  );

  it('makes the iterations of em, where each step is the whole corpus and forgets the last', () => {
    const random = new Random(951);
    const sentences = partlyKnown(random, hmmCorpus(random, 50));
    const learner = learnerOf({ ...smoothing, power: 0, warmUp: 0 });
    const { model } = learner;
    const corpus = settleCorpus(
      model,
      sentences.map(sentence => model.encode(sentence)),
    );
    const { parameters } = model;
    const twin = learnerOf(smoothing).model;
    for (const sentence of sentences) twin.encode(sentence);
    twin.reserve();
    const objective = new Objective({
      ...{ kernel: twin.kernel, parameters: twin.parameters, loss: jointLoss },
      corpus: [packMinibatch(corpus)],
    });
    const options = em.options.parse({ ...smoothing, decrease: 0 });
    const trainer = em.create(options, { objective: () => objective });
    // em starts from what is known; so does the other, once.
    trainer.iterate();
    const start = trainer.save();
    const [first, ...rest] = corpus;
    model.reserve();
    learner.optimizer.prepare(packMinibatch([first!, ...rest]));
    parameters.weights.state.view.set(twin.parameters.weights.state.view);
    parameters.weights.edges.view.set(twin.parameters.weights.edges.view);
    expect(start.arrays.weights!.some(weight => weight !== 0)).toBe(true);
    for (let pass = 1; pass <= 4; pass += 1) {
      trainer.iterate();
      const batch = packMinibatch(
        corpus.map((each, i) => (i === corpus.length - 1 ? { ...each, passEnd: pass } : each)),
      );
      learner.apply(learner.contribute(batch));
      const [own, other] = [parameters, twin.parameters].map(({ weights }) => [
        ...weights.state.view.subarray(0, parameters.stateRows * parameters.width),
        ...weights.edges.view.subarray(0, 3 * parameters.width),
      ]);
      const apart = own!.map((weight, i) => Math.abs(weight - other![i]!));
      expect(Math.max(...apart)).toBeLessThan(1e-9);
    }
  });

  it('counts the labels of a first pass alone until it is warm', () => {
    const random = new Random(952);
    const sentences = partlyKnown(random, hmmCorpus(random, 60));
    const cold = learnerOf({ ...smoothing, warmUp: 1000 });
    learn(cold, sentences);
    const labelled = sentences.filter(({ tags }) => tags !== undefined);
    const known = learnerOf({ ...smoothing, warmUp: 1000 });
    learn(known, labelled);
    const tables = new HmmTables(labelled, { labels, chain, ...smoothing });
    expect(scoresApart(known.model, each => tables.scores(each), sentences)).toBeLessThan(1e-10);
    const warm = learnerOf({ ...smoothing, warmUp: labelled.length });
    learn(warm, sentences);
    const scored = (learner: Learner) => {
      learner.optimizer.deploy(learner.model.parameters.weights);
      return digest(writeModel(learner));
    };
    expect(scored(warm)).not.toBe(scored(cold));
  });

  it('resumes on a stream to the same bytes', () => {
    const random = new Random(953);
    const sentences = partlyKnown(random, hmmCorpus(random, 120));
    const options = { ...smoothing, warmUp: 4, power: 0.6 };
    const batches = Array.from({ length: 15 }, (_, i) => sentences.slice(8 * i, 8 * i + 8));
    const whole = learnerOf(options);
    for (const batch of batches) learn(whole, batch);
    const first = learnerOf(options);
    for (const batch of batches.slice(0, 6)) learn(first, batch);
    const second = learnerOf(options);
    const { model } = second;
    for (const sentence of batches.slice(0, 6).flat()) model.encode(sentence);
    model.reserve();
    const saved = structuredClone(first.save());
    second.restore(saved);
    for (const table of ['state', 'edges'] as const) {
      const to = model.parameters.weights[table].view;
      to.set(first.model.parameters.weights[table].view.subarray(0, to.length));
    }
    for (const batch of batches.slice(6)) learn(second, batch);
    expect(digest(writeModel(second))).toBe(digest(writeModel(whole)));
    expect(whole.optimizer.stepSize).toBeCloseTo(16 ** -0.6, 12);
  });

  it('learns from words without labels what they are', () => {
    // p and q come with labels; r only before s, as p comes before q.
    const { tags: _, ...rest } = hmmCorpus(new Random(1), 1)[0]!;
    const of = (tokens: string[], tags?: string[]): Sentence => ({
      ...rest,
      ...{ tokens, columns: { n: tokens.map(() => 0) }, weight: 1 },
      ...(tags === undefined ? { partialTags: tokens.map(() => null) } : { tags }),
    });
    const learner = learnerOf({ ...smoothing, warmUp: 5 }, ['X', 'Y']);
    for (let i = 0; i < 5; i += 1) learn(learner, [of(['p', 'q', 'p', 'q'], ['X', 'Y', 'X', 'Y'])]);
    for (let i = 0; i < 30; i += 1) learn(learner, [of(['p', 's', 'r', 'q', 'r', 's'])]);
    const { model } = learner;
    const contribution = learner.contribute(
      packMinibatch([model.encodeKnown(of(['r', 's', 'r', 's']))]),
      true,
    );
    const tags = [...contribution.predicted!].map(y => model.labels.name(y));
    expect(tags).toEqual(['X', 'Y', 'X', 'Y']);
  });
});
