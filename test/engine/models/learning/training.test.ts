import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Sentence } from '../../../../src/engine/core/sentence/sentence.js';
import type { Scores } from '../../../../src/engine/core/training/training-step.js';
import { logLoss } from '../../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../../src/engine/losses/loss.js';
import { perceptronLoss } from '../../../../src/engine/losses/perceptron-loss.js';
import { ProgressiveScores } from '../../../../src/engine/metrics/scores/progressive-scores.js';
import { createModel } from '../../../../src/engine/models/create-model.js';
import { nonZeroWeights, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { HeldOutEvaluator } from '../../../../src/engine/models/learning/held-out-evaluator.js';
import { createOnlineLearner } from '../../../../src/engine/models/learning/learner.js';
import { batch } from '../../../../src/engine/operators/batch.js';
import { contribute } from '../../../../src/engine/operators/contribute.js';
import { evaluateProgressive } from '../../../../src/engine/operators/evaluate-progressive.js';
import { featurize } from '../../../../src/engine/operators/featurize.js';
import { optimize } from '../../../../src/engine/operators/optimize.js';
import { passes } from '../../../../src/engine/operators/passes.js';
import type { OptimizerComponent } from '../../../../src/engine/optimizers/optimizer.js';
import { perceptron } from '../../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../../src/engine/optimizers/sgd.js';
import { sgdL1 } from '../../../../src/engine/optimizers/sgd-l1.js';
import { syntheticCorpus } from '../examples/synthetic-corpus.js';

const random = new Random(71);
const corpus = syntheticCorpus(random, 300);
const held = syntheticCorpus(random, 300);

async function trained<Options>(
  templates: string,
  loss: Loss,
  optimizer: OptimizerComponent<Options>,
  options: Partial<Options> = {},
): Promise<{ scores: Scores; bytes: Uint8Array; meanLosses: number[] }> {
  const model = createModel({ templates });
  const learner = createOnlineLearner(model, { loss, optimizer, options });
  const steps = from(corpus).pipe(
    featurize(model),
    passes(model, { epochs: 5 }),
    batch({ sentences: 4 }),
    contribute(learner),
    optimize(learner),
    toArray(),
  );
  const ends = (await lastValueFrom(steps)).filter(({ passEnd }) => passEnd !== undefined);
  return {
    scores: new HeldOutEvaluator(learner, held).evaluate(),
    bytes: writeModel(learner),
    meanLosses: ends.map(({ meanLoss }) => meanLoss),
  };
}

const chain = 'U0:%x[0,0]\nB';

describe('training on sentences of a hidden Markov model', () => {
  it('comes near to the best that can be, by SGD on the log loss', async () => {
    const { scores, meanLosses } = await trained(chain, logLoss, sgd);
    // The labels of the very model that made the sentences: see below.
    const best = viterbiOfTheSource(held);
    expect(best).toBeGreaterThan(80);
    expect(scores.sentences).toBe(300);
    expect(scores.accuracy).toBeGreaterThan(best - 1);
    for (let i = 1; i < 5; i += 1) expect(meanLosses[i]).toBeLessThan(meanLosses[i - 1]!);
  });

  it('needs the transitions for it', async () => {
    const { scores } = await trained('U0:%x[0,0]', logLoss, sgd);
    const { scores: withTransitions } = await trained(chain, logLoss, sgd);
    expect(scores.accuracy).toBeLessThan(withTransitions.accuracy! - 8);
    expect(scores.accuracy).toBeGreaterThan(50);
  });

  it('does as well with the average, and nearly so by the perceptron', async () => {
    const plain = await trained(chain, logLoss, sgd);
    const average = await trained(chain, logLoss, sgd, { average: true });
    expect(Math.abs(average.scores.accuracy! - plain.scores.accuracy!)).toBeLessThan(1);
    const mistaken = await trained(chain, perceptronLoss, perceptron);
    expect(mistaken.scores.accuracy).toBeGreaterThan(plain.scores.accuracy! - 2.5);
  });

  it('needs far fewer weights with an L1 penalty', async () => {
    const templates = 'U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]\nU3:%x[-1,0]/%x[0,0]\nB';
    const dense = await trained(templates, logLoss, sgd);
    const sparse = await trained(templates, logLoss, sgdL1, { l1: 1 });
    expect(nonZeroWeights(sparse.bytes)).toBeLessThan(nonZeroWeights(dense.bytes) / 3);
    expect(sparse.scores.accuracy).toBeGreaterThan(dense.scores.accuracy! - 1.5);
  });

  it('gets better as a stream continues, scored before it learns', async () => {
    const model = createModel({ templates: chain });
    const options = { schedule: 'constant' } as const;
    const learner = createOnlineLearner(model, {
      loss: logLoss,
      optimizer: sgd,
      options,
      corpusSize: 300,
    });
    const progress = new ProgressiveScores({ spanScheme: false, window: 50 });
    const windows: number[] = [];
    const steps = from(corpus).pipe(
      featurize(model),
      batch(),
      contribute(learner, { predict: true }),
      optimize(learner),
      evaluateProgressive(model, progress),
    );
    await new Promise<void>((complete, error) =>
      steps.subscribe({
        next: () => windows.push(progress.inWindow().accuracy!),
        error,
        complete,
      }),
    );
    expect(windows[9]).toBeLessThan(65);
    expect(windows[299]).toBeGreaterThan(75);
  });
});

/** Accuracy, in percent, of the best labels under the probabilities that the sentences were made by. */
function viterbiOfTheSource(sentences: readonly Sentence[]): number {
  const labels = 4;
  const transition = (from: number, to: number) =>
    Math.log(0.15 / labels + (to === (from + 1) % labels ? 0.85 : 0));
  const emission = (y: number, word: number) =>
    Math.log(0.05 / 12 + ((word - y * 3 + 12) % 12 < 6 ? 0.95 / 6 : 0));
  let tokens = 0;
  let right = 0;
  for (const { tokens: words, tags } of sentences) {
    const numbers = words.map(word => Number(word.slice(1)));
    let paths = [0, 1, 2, 3].map(y => ({ score: emission(y, numbers[0]!), path: [y] }));
    for (const word of numbers.slice(1)) {
      paths = [0, 1, 2, 3].map(to => {
        const scores = paths.map(({ score }, from) => score + transition(from, to));
        const best = scores.indexOf(Math.max(...scores));
        const path = [...paths[best]!.path, to];
        return { score: scores[best]! + emission(to, word), path };
      });
    }
    const best = paths.reduce((a, b) => (b.score > a.score ? b : a));
    tokens += words.length;
    right += best.path.filter((y, t) => `L${y}` === tags![t]).length;
  }
  return (100 * right) / tokens;
}
