import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { fitsScorer, losses } from '../../../../src/engine/losses/losses.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { settleCorpus } from '../../../../src/engine/models/learning/settle-corpus.js';
import type { ModelSpec } from '../../../../src/engine/models/model-spec.js';
import { lbfgs } from '../../../../src/engine/trainers/lbfgs/lbfgs.js';
import { owlQn } from '../../../../src/engine/trainers/lbfgs/owl-qn.js';
import { Objective } from '../../../../src/engine/trainers/objective.js';
import type { RemoteSums } from '../../../../src/engine/trainers/shards/objective-group.js';
import type { TrainerComponent } from '../../../../src/engine/trainers/trainer-component.js';
import { ThreadGroup } from '../../../../src/runtime/workers/thread-group.js';
import { everyNth } from '../../../house/long-forms.js';
import { modelWith } from '../../models/examples/model-with.js';
import { partlyLabelled } from '../../optimizers/partly-labelled.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { LocalSums } from './local-sums.js';

const corpus = smallCorpus(new Random(71), 60, { labels: 5, words: 20, longest: 6 });
const manyLabels = smallCorpus(new Random(73), 60, { labels: 40, words: 40, longest: 6 });
const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%v[0,n]\nB\nB0:%x[0,0]';

const full = process.env.TAGSTREAM_FULL === '1';

interface Way {
  readonly what: string;
  readonly spec?: Partial<ModelSpec>;
  readonly kernel?: 'simd' | 'simd64';
  readonly loss?: string;
  readonly corpus?: readonly Sentence[];
}

const ways: readonly Way[] = [
  { what: 'observed pairs', spec: { support: 'observed' } },
  { what: 'all pairs' },
  { what: 'float32', kernel: 'simd', spec: { support: 'observed' } },
  // With 40 labels and few pairs seen, transitions are listed.
  { what: 'listed pairs', spec: { support: 'observed' }, corpus: manyLabels },
  {
    what: 'listed pairs in float32',
    kernel: 'simd',
    spec: { support: 'observed' },
    corpus: manyLabels,
  },
  {
    what: 'listed pairs and partial labels',
    spec: { support: 'observed', templates: 'U0:%x[0,0]\nB0:%x[0,0]\nB1:%v[0,n]' },
    corpus: partlyLabelled(new Random(74), manyLabels),
  },
  { what: 'hashed features', spec: { index: { mode: 'hashed', rows: 40, edgeRows: 7 } } },
  { what: 'no transitions', spec: { templates: 'U0:%x[0,0]\nU1:%x[1,0]' } },
  { what: 'partial labels and weights', corpus: partlyLabelled(new Random(72), corpus) },
  ...losses
    .filter(({ smooth, name }) => smooth && name !== 'log')
    .map(loss => ({
      what: `the loss ${loss.name}`,
      loss: loss.name,
      ...(fitsScorer(loss, 'linear') ? {} : { spec: { scorer: 'memm' as const } }),
    })),
  { what: 'the loss log of a MEMM', spec: { scorer: 'memm' } },
];

/** An objective and its gradient at three points, by some threads, or by others. */
async function evaluated(way: Way, workers: number, remote?: RemoteSums) {
  const model = modelWith(kernels[way.kernel ?? 'simd64'], {
    ...{ templates, columns: ['form', 'n'], ...way.spec },
  });
  const sentences = (way.corpus ?? corpus).map(sentence => model.encode(sentence));
  const settled = settleCorpus(model, sentences);
  model.reserve();
  const group = workers > 1 ? new ThreadGroup(workers) : undefined;
  const objective = new Objective({
    ...{ kernel: model.kernel, parameters: model.parameters, l2: 0.5, group, remote },
    corpus: [packMinibatch(settled.slice(0, 23)), packMinibatch(settled.slice(23))],
    loss: losses.find(({ name }) => name === (way.loss ?? 'log'))!,
  });
  const found: number[] = [];
  try {
    for (const factor of [0, 1, -0.5]) {
      const weights = objective.weights().map((_, i) => factor * Math.sin(i));
      const gradient = new Float64Array(weights.length);
      found.push(objective.evaluate(weights, gradient), ...gradient);
      expect(objective.weights()).toEqual(
        way.kernel === 'simd' ? weights.map(Math.fround) : weights,
      );
    }
  } finally {
    await group?.close();
  }
  return { found, objective };
}

for (const { rows, tags } of everyNth(15, ways)) {
  describe.each(rows)('an objective with $what', { tags }, way => {
    it('has the same bytes as with one thread with two and three', async () => {
      const alone = await evaluated(way, 1);
      expect(alone.found.every(Number.isFinite)).toBe(true);
      expect(new Set(alone.found).size).toBeGreaterThan(20);
      // In the short form now two, now three.
      for (const workers of full ? [2, 3] : [2 + (ways.indexOf(way) % 2)]) {
        const together = await evaluated(way, workers);
        expect(together.found).toEqual(alone.found);
      }
    });

    it('has the same bytes where one, two and three others evaluate its shards', async () => {
      const alone = await evaluated(way, 1);
      const one = await evaluated(way, 1, new LocalSums(8, 1));
      for (const others of full ? [2, 3] : [3 - (ways.indexOf(way) % 2)]) {
        const remote = await evaluated(way, 1, new LocalSums(8, others));
        expect(remote.found).toEqual(one.found);
      }
      // One machine adds some corpora up by classes of tokens.
      if (way.spec?.support === 'observed') expect(one.found).toEqual(alone.found);
      else {
        const differences = one.found.map((x, i) => Math.abs(x - alone.found[i]!));
        expect(Math.max(...differences)).toBeLessThan(way.kernel === 'simd' ? 1e-3 : 1e-9);
      }
    });

    it('sums what its sentences contribute', async () => {
      const { found, objective } = await evaluated(way, 1);
      const { kernel, parameters, free, l2 } = objective;
      const plane = parameters.addPlane();
      const weights = objective.weights();
      let value = l2 * weights.reduce((sum, weight) => sum + weight * weight, 0);
      for (const minibatch of objective.corpus) {
        const made = objective.contribute(minibatch);
        value += made.loss;
        for (let s = 0; s < minibatch.sentences.length; s += 1) {
          if (minibatch.labelled[s] === 1) kernel.accumulate(parameters, plane, made, s, 1, true);
        }
      }
      const gradient = new Float64Array(free.size);
      free.gather(plane, gradient);
      const digits = way.kernel === 'simd' ? 3 : 9;
      const [objectiveValue, ...slopes] = found.slice(-1 - free.size);
      expect(objectiveValue).toBeCloseTo(value, digits);
      for (const [i, slope] of slopes.entries()) {
        expect(slope).toBeCloseTo(gradient[i]! + 2 * l2 * weights[i]!, digits);
      }
    });
  });
}

it('is refused to threads with a kernel that cannot share memory', { tags: 'slow' }, async () => {
  const model = modelWith(kernels.reference, { templates, columns: ['form', 'n'] });
  const settled = settleCorpus(
    model,
    corpus.map(sentence => model.encode(sentence)),
  );
  model.reserve();
  const group = new ThreadGroup(2);
  const objective = new Objective({
    ...{
      kernel: model.kernel,
      parameters: model.parameters,
      loss: losses.find(({ name }) => name === 'hinge')!,
      group,
    },
    corpus: [packMinibatch(settled)],
  });
  const nothing = new Float64Array(objective.free.size);
  expect(() => objective.evaluate(nothing, nothing.slice())).toThrow(
    'workers cannot be combined with the kernel reference',
  );
});

describe('an optimizer over so many weights that threads share its vectors', () => {
  const large = smallCorpus(new Random(73), 500, { labels: 5, words: 2000, longest: 12 });

  /** What some iterations come to, and the weights. */
  async function trained(component: TrainerComponent<never>, workers: number) {
    const model = modelWith(kernels.simd64, {
      templates: 'U0:%x[0,0]\nU1:%x[-1,0]\nB',
      columns: ['form', 'n'],
    });
    const settled = settleCorpus(
      model,
      large.map(sentence => model.encode(sentence)),
    );
    model.reserve();
    const group = workers > 1 ? new ThreadGroup(workers) : undefined;
    const { kernel, parameters } = model;
    const corpus = [packMinibatch(settled)];
    const loss = losses.find(({ name }) => name === 'log')!;
    const objective = (l2: number) =>
      new Objective({ kernel, parameters, corpus, loss, l2, group });
    const trainer = component.create(component.options.parse({}) as never, { objective });
    try {
      const reported = Array.from({ length: 5 }, () => trainer.iterate());
      // The rows are laid out when nothing is left of the vectors.
      expect(parameters.isInUse).toBe(false);
      const settle = trainer.release!()!;
      expect(parameters.isInUse).toBe(false);
      settle();
      const weights = parameters.weights.state.view.slice();
      return { reported, weights };
    } finally {
      await group?.close();
    }
  }

  it.each([lbfgs, owlQn])(
    'has the same bytes as with one thread: $name',
    { tags: 'slow' },
    async component => {
      const chosen = component as unknown as TrainerComponent<never>;
      const alone = await trained(chosen, 1);
      expect(alone.weights.length).toBeGreaterThan(2 ** 14);
      expect(alone.reported[4]!.objective).toBeLessThan(alone.reported[0]!.objective);
      expect(alone.weights.some(weight => weight !== 0)).toBe(true);
      for (const workers of [2, 3]) expect(await trained(chosen, workers)).toEqual(alone);
    },
  );
});
