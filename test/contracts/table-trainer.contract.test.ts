import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../src/engine/core/random.js';
import type { Sentence } from '../../src/engine/core/sentence/sentence.js';
import type { Iteration, Trainer } from '../../src/engine/core/training/trainer.js';
import { jointLoss } from '../../src/engine/losses/joint-loss.js';
import { kernels } from '../../src/engine/models/kernels.js';
import { settleCorpus } from '../../src/engine/models/learning/settle-corpus.js';
import type { ModelSpec } from '../../src/engine/models/model-spec.js';
import { em } from '../../src/engine/trainers/em/em.js';
import { mmi } from '../../src/engine/trainers/em/mmi.js';
import { Objective } from '../../src/engine/trainers/objective.js';
import type { TrainerComponent } from '../../src/engine/trainers/trainer-component.js';
import { modelWith } from '../engine/models/examples/model-with.js';
import {
  numberColumns,
  numberedCorpus,
  numberTemplates,
} from '../engine/models/examples/numbered-corpus.js';
import { everyNth } from '../house/long-forms.js';
import { linearScoresOf } from './oracle/scores-of.js';

/** One row a trainer of tables and what they are tables of. */
interface Row {
  readonly component: TrainerComponent<never>;
  readonly variant: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly spec: Partial<ModelSpec>;
  /** Lanes of a label. */
  readonly components: number;
  /** Templates of numbers beside the word. */
  readonly numbers: number;
}

const labels = ['X', 'Y'];
const words = { spec: {}, components: 1, numbers: 0 };
const density = { spec: {}, components: 1, numbers: 2 };
const full = { ...density, spec: { covariance: 'full' } } as const;
const hidden = { states: 2, spread: 0.1, seed: 3 };
const mixture = { spec: { hidden }, components: 2, numbers: 2 };
const fullMixture = { ...mixture, spec: { hidden, covariance: 'full' } } as const;
const shapes = [
  ['of words', words],
  ['of a Gaussian', density],
  ['of a Gaussian with covariances', full],
  ['of a mixture of Gaussians', mixture],
  ['of a mixture with covariances', fullMixture],
] as const;

const rows: readonly Row[] = [
  ...shapes.map(([variant, shape]) => ({
    ...{ component: em as never, variant, ...shape },
    options: { minCount: 1, decrease: 1e-7, k: 0.1 },
  })),
  ...shapes.map(([variant, shape]) => ({
    ...{ component: mmi as never, variant, ...shape },
    options: { minCount: 1, iterations: 3, k: 0.1, transitionK: 0.1 },
  })),
];

/** A third of the sentences has labels, a third some, a third none. */
function corpusOf(seed: number): Sentence[] {
  const random = new Random(seed);
  return numberedCorpus(random, 45).map((sentence, i) => {
    const { tags, ...rest } = sentence;
    if (i % 3 === 0) return sentence;
    const isHidden = () => i % 3 === 1 || random.below(2) === 0;
    return { ...rest, partialTags: tags!.map(tag => (isHidden() ? null : tag)) };
  });
}

function make({ component, options, spec, numbers }: Row, batch = 9) {
  const kernel = kernels.simd64;
  const model = modelWith(kernel, {
    templates: `${numbers === 0 ? 'U0:%x[0,0]' : numberTemplates(numbers)}\nB`,
    columns: ['form', ...numberColumns(numbers)],
    scorer: 'hmm',
    ...spec,
  });
  for (const label of labels) model.labels.intern(label);
  const encoded = settleCorpus(
    model,
    corpusOf(71).map(sentence => model.encode(sentence)),
  );
  model.reserve();
  const { parameters } = model;
  const corpus = Array.from({ length: Math.ceil(encoded.length / batch) }, (_, i) =>
    packMinibatch(encoded.slice(i * batch, (i + 1) * batch)),
  );
  const objective = new Objective({ kernel, parameters, corpus, loss: jointLoss });
  const trainer: Trainer = component.create(component.options.parse(options) as never, {
    objective: () => objective,
    order: { seed: 1, shuffle: true },
  });
  return { model, objective, trainer };
}

function run(trainer: Trainer, most: number): Iteration[] {
  const done: Iteration[] = [];
  while (done.length < most && done.at(-1)?.ending === undefined) done.push(trainer.iterate());
  return done;
}

for (const part of everyNth(6, rows)) {
  describe.each(part.rows)('$component.name $variant', { tags: part.tags }, row => {
    it('never goes up, and comes down', () => {
      const objectives = run(make(row).trainer, 30).map(({ objective }) => objective);
      for (let i = 1; i < objectives.length; i += 1) {
        const slack = 1e-9 * Math.abs(objectives[i - 1]!);
        expect(objectives[i]!).toBeLessThanOrEqual(objectives[i - 1]! + slack);
      }
      expect(objectives.at(-1)!).toBeLessThan(objectives[0]!);
    });

    it('resumes from a saved state to the same bytes', () => {
      const whole = make(row);
      const iterations = run(whole.trainer, 10);
      const first = make(row);
      run(first.trainer, 4);
      const second = make(row);
      second.trainer.restore(structuredClone(first.trainer.save()));
      expect(run(second.trainer, 6)).toEqual(iterations.slice(4));
      for (const { trainer } of [whole, second]) trainer.settle?.();
      expect(second.objective.weights()).toEqual(whole.objective.weights());
      expect(iterations.length).toBeGreaterThan(4);
    });

    it('makes the same bytes of the same sentences, and the same tables of other minibatches', () => {
      const [one, again, other] = [make(row), make(row), make(row, 7)] as const;
      const [first, second, third] = [one, again, other].map(({ trainer }) => run(trainer, 5));
      expect(second).toEqual(first);
      for (const [i, { objective }] of third!.entries()) {
        const expected = first![i]!.objective;
        expect(Math.abs(objective - expected)).toBeLessThan(1e-8 * Math.abs(expected));
      }
    });

    it('leaves distributions of transitions, shared by the components of a label', () => {
      const { model, trainer } = make(row);
      run(trainer, 5);
      trainer.settle?.();
      const [sentence] = numberedCorpus(new Random(1), 20).filter(
        ({ tokens }) => tokens.length > 1,
      );
      const { transitions } = linearScoresOf(model.parameters, model.encodeKnown(sentence!));
      const { components } = row;
      for (const from of transitions[1]!) {
        let sum = 0;
        for (let to = 0; to < from.length; to += components) sum += Math.exp(from[to]!);
        expect(sum).toBeCloseTo(1, 9);
      }
    });

    it('has a default for each option, and refuses what it does not know', () => {
      const { options } = row.component;
      const defaults = options.parse({});
      expect(options.parse(defaults)).toEqual(defaults);
      expect(options.safeParse({ ...(defaults as object), unknown: 1 }).success).toBe(false);
    });
  });
}
