import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import type { Iteration } from '../../../src/engine/core/training/trainer.js';
import { perceptronLoss } from '../../../src/engine/losses/perceptron-loss.js';
import {
  type BatchPerceptronOptions,
  batchPerceptron,
} from '../../../src/engine/trainers/batch-perceptron.js';
import { Objective } from '../../../src/engine/trainers/objective.js';
import { Enumeration } from '../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../contracts/oracle/scores-of.js';
import { passOf, separableCorpus } from '../optimizers/separable/separable-corpus.js';
import { objectiveOf, type SmallProblem, smallProblems } from './small-problem.js';

function make(
  problem: SmallProblem,
  options: Partial<BatchPerceptronOptions> = {},
  from = (zeros: Float64Array) => zeros,
) {
  const objective = objectiveOf(problem, { l2: 0, loss: perceptronLoss });
  objective.place(from(objective.weights()));
  const trainer = batchPerceptron.create(batchPerceptron.options.parse(options), {
    objective: () => objective,
  });
  return { trainer, objective };
}

/** One step by the definition: the statistics of each label sequence are scores at unit weights. */
function naiveStep(objective: Objective, weights: Float64Array, mean: boolean): Float64Array {
  const moved = weights.slice();
  const sentences = objective.corpus.flatMap(minibatch => minibatch.sentences);
  objective.place(weights);
  const paths = sentences.map(sentence => ({
    best: new Enumeration(scoresOf(objective.parameters, sentence)).best,
    gold: Array.from(sentence.gold!),
  }));
  const wrong = paths.filter(({ best, gold }) => best.some((y, t) => y !== gold[t])).length;
  const unit = new Float64Array(weights.length);
  for (let k = 0; k < weights.length; k += 1) {
    unit.fill(0);
    unit[k] = 1;
    objective.place(unit);
    for (const [i, sentence] of sentences.entries()) {
      const scores = new Enumeration(scoresOf(objective.parameters, sentence));
      const difference = scores.pathScore(paths[i]!.gold) - scores.pathScore(paths[i]!.best);
      moved[k]! += difference / (mean ? wrong : 1);
    }
  }
  return moved;
}

/** By how much the gold labels of each sentence lead, at most 0. */
function leadsOf({ corpus, parameters }: Objective): number[] {
  const sentences = corpus.flatMap(minibatch => minibatch.sentences);
  return sentences.map(sentence => {
    const all = new Enumeration(scoresOf(parameters, sentence));
    return -all.perceptronLoss(sentence.gold!);
  });
}

describe.each(smallProblems)('the batch perceptron on $name', problem => {
  it.each(['sum', 'mean'] as const)(
    'makes the step of the definition: %s',
    { tags: 'slow' },
    update => {
      // From weights of which no two scores are equal.
      const random = new Random(9);
      const { trainer, objective } = make(problem, { update, average: false }, weights =>
        weights.map(() => random.normal()),
      );
      for (let i = 0; i < 4; i += 1) {
        const before = objective.weights();
        const expected = naiveStep(objective, before, update === 'mean');
        objective.place(before);
        const leads = leadsOf(objective);
        objective.place(before);
        trainer.iterate();
        const after = objective.weights();
        for (const [k, weight] of after.entries()) expect(weight).toBeCloseTo(expected[k]!, 10);
        expect(trainer.margin!.mistakes).toBe(leads.filter(lead => lead < 0).length);
        expect(trainer.margin!.smallest).toBeCloseTo(Math.min(...leads), 10);
      }
    },
  );

  it('deploys the mean of the weights after each pass', () => {
    const plain = make(problem, { average: false });
    const averaged = make(problem);
    const sum = new Float64Array(plain.objective.free.size);
    for (let pass = 1; pass <= 5; pass += 1) {
      plain.trainer.iterate();
      averaged.trainer.iterate();
      for (const [k, weight] of plain.objective.weights().entries()) sum[k]! += weight;
      for (const [k, weight] of averaged.objective.weights().entries()) {
        expect(weight).toBeCloseTo(sum[k]! / pass, 12);
      }
    }
  });

  it.each(['sum', 'mean'] as const)('resumes from a saved state to the same bytes: %s', update => {
    const run = ({ trainer }: ReturnType<typeof make>, count: number): Iteration[] =>
      Array.from({ length: count }, () => trainer.iterate());
    const whole = make(problem, { update });
    const expected = run(whole, 8).slice(3);
    const first = make(problem, { update });
    run(first, 3);
    const second = make(problem, { update });
    second.trainer.restore(structuredClone(first.trainer.save()));
    expect(run(second, 5)).toEqual(expected);
    expect(second.objective.weights()).toEqual(whole.objective.weights());
  });
});

it.each(['sum', 'mean'] as const)(
  'separates what can be separated, and ends there: %s',
  { tags: 'slow' },
  update => {
    const made = separableCorpus({ seed: 3, sentences: 100, words: 10, margin: 0.1 });
    const objective = new Objective({
      kernel: made.model.kernel,
      parameters: made.model.parameters,
      corpus: passOf(made, 1),
      loss: perceptronLoss,
    });
    const trainer = batchPerceptron.create(
      batchPerceptron.options.parse({ update, average: false }),
      { objective: () => objective },
    );
    const done: Iteration[] = [];
    while (done.length < 500 && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
    expect(done.at(-1)).toMatchObject({ ending: 'separated', objective: 0, gradientNorm: 0 });
    expect(done.length).toBeGreaterThan(2);
    const weights = objective.weights();
    expect(objective.evaluate(weights, new Float64Array(weights.length))).toBe(0);
  },
);

it('is for the perceptron loss alone', () => {
  const options = batchPerceptron.options.parse({});
  expect(batchPerceptron.needs!(options, perceptronLoss)).toBeUndefined();
  expect(batchPerceptron.needs!(options, { ...perceptronLoss, name: 'log' })).toBe('perceptron');
});
