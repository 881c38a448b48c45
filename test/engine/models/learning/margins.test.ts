import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../../src/engine/core/random.js';
import type { PassMargin } from '../../../../src/engine/core/training/trainer.js';
import type { TrainingStep } from '../../../../src/engine/core/training/training-step.js';
import { hingeLoss } from '../../../../src/engine/losses/hinge-loss.js';
import type { Loss } from '../../../../src/engine/losses/loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { SoftmaxMargin } from '../../../../src/engine/losses/softmax-margin.js';
import { kernels } from '../../../../src/engine/models/kernels.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { arow } from '../../../../src/engine/optimizers/arow.js';
import type { OptimizerComponent } from '../../../../src/engine/optimizers/optimizer.js';
import { passiveAggressive } from '../../../../src/engine/optimizers/passive-aggressive.js';
import { perceptron } from '../../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { sgdL1 } from '../../../../src/engine/optimizers/sgd-l1.js';
import { votedPerceptron } from '../../../../src/engine/optimizers/voted-perceptron.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import type { TrainRequest } from '../../../../src/runtime/pipeline/training/train-request.js';
import { Enumeration } from '../../../contracts/oracle/enumeration.js';
import { scoresOf } from '../../../contracts/oracle/scores-of.js';
import { sentenceOf } from '../../features/sentence-of.js';
import { smallCorpus } from '../../optimizers/small-corpus.js';
import { modelWith } from '../examples/model-with.js';

const softmax = new SoftmaxMargin({ cost: 0.5 });

const rows: readonly [string, Loss, OptimizerComponent<never>, object][] = [
  [perceptronLoss, perceptron, { average: true }],
  [perceptronLoss, votedPerceptron, {}],
  [perceptronLoss, passiveAggressive, { variant: 'pa-2' }],
  [perceptronLoss, arow, {}],
  [hingeLoss, sgd, { l2: 0.1, eta0: 0.5 }],
  [hingeLoss, sgdL1, { l1: 0.1, eta0: 0.5 }],
  [softmax, sgd, { l2: 0.1, eta0: 0.5 }],
]
  .map(row => row as unknown as [Loss, OptimizerComponent<never>, object])
  .map(([loss, optimizer, options]) => [
    `${loss.name}, ${optimizer.name}`,
    loss,
    optimizer,
    options,
  ]);

/** A sentence's margin and whether it is wrong, by all its label sequences. */
function judged(all: Enumeration, gold: ArrayLike<number>, loss: Loss) {
  const apart = (path: readonly number[]) => path.filter((y, t) => y !== gold[t]).length;
  const own = all.pathScore(gold);
  const cost = loss === hingeLoss ? 1 : loss === softmax ? 0.5 : 0;
  const augmented = all.ranked.map(({ path, score }) => score + cost * apart(path));
  if (loss !== softmax) {
    const margin = own - Math.max(...augmented);
    const isWrong = loss === hingeLoss ? margin < -1e-9 : apart(all.best) > 0;
    return { margin, isWrong };
  }
  const others = augmented.filter((_, i) => apart(all.ranked[i]!.path) > 0);
  const margin = own - Math.log(others.reduce((sum, score) => sum + Math.exp(score), 0));
  return { margin, isWrong: margin < 0 };
}

describe('mistakes and the smallest margin of a pass', () => {
  const started = (loss: Loss, optimizer: OptimizerComponent<never>, options: object) => {
    const model = modelWith(kernels.simd64, { templates: 'U:%x[0,0]\nB', columns: ['form'] });
    const sentences = smallCorpus(new Random(4), 30).map(each => model.encode(each));
    // Of these neither has a part in it: no labels, no weight.
    sentences.push(model.encode(sentenceOf(['w1', 'w2'])));
    sentences.push({ ...sentences[0]!, weight: 0 });
    sentences[3] = { ...sentences[3]!, weight: 2 };
    model.corpusSize = sentences.length;
    const learner = createOnlineLearner(model, { loss, optimizer, options: options as never });
    return { model, sentences, learner };
  };

  it.each(rows)('are those of all label sequences: %s', (_, loss, optimizer, options) => {
    const { model, sentences, learner } = started(loss, optimizer, options);
    const found: (PassMargin | undefined)[] = [];
    const expected: PassMargin[] = [];
    for (let pass = 1; pass <= 4; pass += 1) {
      let [mistakes, smallest] = [0, Number.POSITIVE_INFINITY];
      const order = new Random(pass).shuffle(Uint32Array.from(sentences.keys()));
      for (const [k, i] of order.entries()) {
        const sentence = sentences[i]!;
        const passEnd = k === order.length - 1 ? pass : undefined;
        const contribution = learner.contribute(packMinibatch([{ ...sentence, passEnd }]));
        if (sentence.gold !== undefined && sentence.weight !== 0) {
          const all = new Enumeration(scoresOf(model.parameters, sentence));
          const { margin, isWrong } = judged(all, sentence.gold, loss);
          if (isWrong) mistakes += 1;
          smallest = Math.min(smallest, margin);
        }
        const step = learner.apply(contribution);
        if (passEnd === undefined) expect(step.margin).toBeUndefined();
        else found.push(step.margin);
      }
      expected.push({ mistakes, smallest });
    }
    expect(found.map(each => each?.mistakes)).toEqual(expected.map(each => each.mistakes));
    expect(expected.every(({ mistakes }) => mistakes > 0 && mistakes < 31)).toBe(true);
    for (const [i, { smallest }] of expected.entries()) {
      expect(found[i]!.smallest).toBeCloseTo(smallest, 9);
    }
  });

  it('goes on with those of half a pass, and says nothing of a pass whose beginning it does not know', () => {
    const of = (resumes: boolean, forgets = false) => {
      const { sentences, learner, model } = started(
        perceptronLoss,
        perceptron as OptimizerComponent<never>,
        {},
      );
      let last = learner;
      for (const [i, sentence] of sentences.entries()) {
        if (resumes && i === 20) {
          const { json, arrays } = structuredClone(last.save());
          if (forgets) delete (json as { margin?: unknown }).margin;
          last = createOnlineLearner(model, { loss: perceptronLoss, optimizer: perceptron });
          last.restore({ json: JSON.parse(JSON.stringify(json)), arrays });
        }
        const passEnd = i === sentences.length - 1 ? 1 : undefined;
        const { margin } = last.apply(last.contribute(packMinibatch([{ ...sentence, passEnd }])));
        if (passEnd !== undefined) return margin;
      }
      return undefined;
    };
    expect(of(false)?.mistakes).toBeGreaterThan(0);
    expect(of(true)).toEqual(of(false));
    expect(of(true, true)).toBeUndefined();
  });

  const corpus = smallCorpus(new Random(4), 30).map(({ tokens, tags }) => ({
    tokens,
    tags: tags!,
  }));
  const request = { corpus, features: { templates: 'U:%x[0,0]\nB' }, epochs: 3, batch: 4 };
  const ofPasses = async (more: Partial<TrainRequest>) =>
    (await train({ ...request, ...more })).passes.map(({ margin }) => margin);

  it('are reported of losses with margins only, in steps and passes but not in the model', async () => {
    const steps: TrainingStep[] = [];
    const onStep = (step: TrainingStep) => void (step.passEnd && steps.push(step));
    const batch = await train({ ...request, optimizer: { 'batch-perceptron': {} }, onStep });
    const margins = batch.passes.map(({ margin }) => margin);
    expect(steps.map(({ margin }) => margin)).toEqual(margins);
    expect(margins[0]!.mistakes).toBeGreaterThan(0);
    const text = new TextDecoder().decode(batch.bytes);
    expect(text).toContain('"history"');
    expect(text).not.toContain('"margin"');
    expect(await ofPasses({ optimizer: { sgd: {} } })).toEqual([undefined, undefined, undefined]);
  });
});
