import { from, lastValueFrom, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import { softmaxMarginLoss } from '../../../../src/engine/losses/softmax-margin.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { writeModel } from '../../../../src/engine/models/files/model-file.js';
import {
  DriftMonitor,
  type DriftMonitorOptions,
} from '../../../../src/engine/models/learning/drift-monitor.js';
import type { Learner } from '../../../../src/engine/models/learning/learner.js';
import type { Model } from '../../../../src/engine/models/model.js';
import {
  restoreModelState,
  saveModelState,
} from '../../../../src/engine/models/state/model-state.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { contribute } from '../../../../src/engine/operators/contribute.js';
import { detectDrift } from '../../../../src/engine/operators/detect-drift.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { optimize } from '../../../../src/engine/operators/optimize.js';
import { adagrad, sgd } from '../../../../src/engine/optimizers/factories.js';
import type { OnlineOptimizer } from '../../../../src/engine/optimizers/optimizer.js';
import { createTrainee } from '../../../../src/runtime/pipeline/learners/learner-of.js';
import { sentenceOf } from '../../features/sentence-of.js';

/** Words with labels by their number, but for one in ten; from a sentence on others, in part without labels. */
function drifting(seed: number, count: number, from: number): Sentence[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => {
    const words = Array.from({ length: 4 + random.below(8) }, () => random.below(40));
    const shift = i < from ? 0 : 1;
    const tags = words.map(word => `L${random.below(10) === 0 ? 0 : (word + shift) % 4}`);
    const tokens = words.map(word => `w${word}`);
    return i % 7 === 3 ? sentenceOf(tokens) : sentenceOf(tokens, { tags });
  });
}

const plain: OnlineOptimizer<never> = sgd({ eta0: 0.02, l2: 0 }) as never;

function create(optimizer = plain, restored?: Model): Learner {
  const model = restored ?? createModel({ templates: 'U0:%x[0,0]\nU1:%x[-1,0]\nB' });
  const { component, options } = optimizer;
  const chosen = { kind: 'online', component, options: component.options.parse(options) } as const;
  return createTrainee(chosen, { model, loss: softmaxMarginLoss, train: { corpusSize: 300 } })
    .learner;
}

/** The labelled tokens that are tagged wrongly among the last sentences of a stream, and what is reported. */
async function run(
  stream: readonly Sentence[],
  options: DriftMonitorOptions,
  learner = create(),
  monitor = new DriftMonitor(learner, options),
) {
  let [wrong, all, seen] = [0, 0, 0];
  const steps = from(stream).pipe(
    featurize(learner.model),
    batch({ sentences: 2 }),
    contribute(learner, { predict: true, marginals: options.on === 'confidence' }),
    optimize(learner),
    map(step => {
      const { minibatch, predicted } = step.contribution;
      for (const [s, { sentence }] of minibatch.sentences.entries()) {
        seen += 1;
        if (sentence.tags === undefined || seen < 0.75 * stream.length) continue;
        for (const [t, tag] of sentence.tags.entries()) {
          all += 1;
          const label = predicted![minibatch.sentenceStarts[s]! + t]!;
          if (learner.model.labels.reported[label] !== tag) wrong += 1;
        }
      }
      return step;
    }),
    detectDrift(monitor),
  );
  await lastValueFrom(steps);
  return { learner, monitor, errors: wrong / all };
}

const stream = drifting(1, 1200, 800);

describe('an answer to drift', () => {
  it.each(['restart-steps', 'reset', 'shadow'] as const)(
    '%s leaves fewer errors than none',
    { tags: 'slow' },
    async answer => {
      const optimizer = answer === 'restart-steps' ? (adagrad({ eta0: 0.1 }) as never) : plain;
      const messages: string[] = [];
      const onWarning = ({ code, message }: { code: string; message: string }) =>
        messages.push(`${code} ${message}`);
      const without = await run(stream, { answer: 'warn' }, create(optimizer));
      const { errors, monitor } = await run(stream, { answer, onWarning }, create(optimizer));
      expect(errors).toBeLessThan(without.errors);
      const { signs, restarts, shadows, takeovers } = monitor.counts;
      expect(signs).toEqual({ 'score-drop': 1 });
      const isShadow = answer === 'shadow';
      expect([restarts, shadows, takeovers]).toEqual(isShadow ? [0, 1, 1] : [1, 0, 0]);
      expect(messages[0]).toMatch(/^score-drop accuracy fell .* (begin again|begins to learn) /);
      expect(messages).toHaveLength(isShadow ? 2 : 1);
      expect(without.monitor.counts.signs).toEqual({ 'score-drop': 1 });
    },
  );

  it.each([
    [{ detector: 'adwin' }, { detector: { adwin: { delta: 0.01 } }, on: 'labels' }],
    [{ detector: 'page-hinkley' }, { detector: { ddm: { deviations: 4 } }, on: 'errors' }],
  ] as const)('follows errors: %j, %j', async (...all) => {
    for (const options of all) {
      const at: number[] = [];
      const learner = create();
      const onWarning = () => at.push(learner.sentencesSeen);
      await run(stream, { ...options, onWarning }, learner);
      expect(at.length).toBeGreaterThan(0);
      // Six of seven sentences are labelled.
      expect(at[0]).toBeGreaterThan((800 * 6) / 7 - 1);
      expect(at[0]).toBeLessThan((900 * 6) / 7);
    }
  });

  it.each(['words', 'confidence'] as const)('follows %s of records without labels', async on => {
    const before = drifting(2, 600, 600);
    const strange = drifting(3, 200, 200).map(({ tokens }) =>
      sentenceOf(tokens.map((word, t) => `${word}-${t}-${tokens.length}`)),
    );
    const found: string[] = [];
    const { learner } = await run([...before, ...strange], {
      ...{ on, detector: 'page-hinkley' },
      onWarning: ({ code }) => found.push(code),
    });
    expect(found.length).toBeGreaterThan(0);
    expect(learner.sentencesSeen).toBeLessThan(600);
  });

  it('refuses steps without predictions, and a series beside the watch', async () => {
    const learner = create();
    const monitor = new DriftMonitor(learner);
    const steps = from(stream.slice(0, 1)).pipe(
      featurize(learner.model),
      batch(),
      contribute(learner),
      optimize(learner),
      detectDrift(monitor),
    );
    await expect(lastValueFrom(steps)).rejects.toThrow('no predictions to detect drift in');
    expect(() => new DriftMonitor(learner, { on: 'words' })).toThrow('chooses its own series');
    expect(() => new DriftMonitor(learner, { detector: 'adwim' as never })).toThrow(
      'unknown drift detector "adwim"',
    );
  });
});

describe('a monitor that is resumed', () => {
  const rows: readonly {
    readonly name: string;
    readonly options: DriftMonitorOptions;
    readonly optimizer?: OnlineOptimizer<never>;
  }[] = [
    { name: 'the watch that resets', options: { answer: 'reset' } },
    { name: 'a shadow', options: { answer: 'shadow' } },
    {
      name: 'a shadow of AdaGrad',
      options: { answer: 'shadow' },
      optimizer: adagrad({ l2: 0.1 }) as never,
    },
    {
      name: 'a shadow of an average',
      options: { answer: 'shadow' },
      optimizer: sgd({ average: { window: 50 } }) as never,
    },
    {
      name: 'ADWIN on labels',
      options: { detector: 'adwin', on: 'labels', answer: 'restart-steps' },
    },
    { name: 'DDM on words', options: { detector: 'ddm', on: 'words' } },
  ];

  it.each(rows)(
    'has the same bytes after a stop anywhere: $name',
    { tags: 'slow' },
    async ({ options, optimizer }) => {
      const whole = await run(stream, options, create(optimizer));
      const expected = writeModel(whole.learner);
      // Before the change, when it is found, while there is a shadow, and after it.
      for (const at of [400, 806, 812, 818, 830, 900]) {
        const first = await run(stream.slice(0, at), options, create(optimizer));
        const saved = [
          saveModelState(first.learner.model),
          first.learner.save(),
          first.monitor.save(),
        ];
        const [modelState, learnerState, state] = saved.map(({ json, arrays }) => ({
          json: JSON.parse(JSON.stringify(json)),
          arrays: Object.fromEntries(
            Object.entries(arrays).map(([name, array]) => [name, (array as Float64Array).slice()]),
          ),
        }));
        const model = restoreModelState(modelState!, first.learner.model.kernel);
        const learner = create(optimizer, model);
        learner.restore(learnerState!);
        const monitor = new DriftMonitor(learner, options);
        monitor.restore(state!);
        await run(stream.slice(at), options, learner, monitor);
        expect(Buffer.compare(writeModel(learner), expected)).toBe(0);
        expect(monitor.counts).toEqual(whole.monitor.counts);
      }
    },
  );
});
