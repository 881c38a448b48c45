import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/engine/core/random.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';
import type { Kernel } from '../../../src/engine/kernels/kernel.js';
import { adagrad } from '../../../src/engine/optimizers/adagrad.js';
import { arow } from '../../../src/engine/optimizers/arow.js';
import { passiveAggressive } from '../../../src/engine/optimizers/passive-aggressive.js';
import { perceptron } from '../../../src/engine/optimizers/perceptron.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { sgdL1 } from '../../../src/engine/optimizers/sgd-l1.js';
import { difference } from '../../contracts/oracle/differences/difference.js';
import { kernelRows } from '../../contracts/oracle/kernels/kernels.js';
import { everyNth } from '../../house/long-forms.js';
import { sentenceOf } from '../features/sentence-of.js';
import {
  naiveAdagrad,
  naiveArow,
  naivePassiveAggressive,
  naivePerceptron,
  naiveSgd,
  naiveSgdL1,
} from './naive-optimizers.js';
import { SideBySide } from './side-by-side.js';
import { smallCorpus } from './small-corpus.js';

// What a weight learns must not depend on how long training ran before it came: a stream has no start.
const templates = 'U0:%x[0,0]\nB0:%x[0,0]';
const rows = [
  {
    name: 'sgd',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: sgd,
        options: { schedule: 'constant', l2: 1 },
        naive: naiveSgd,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'averaged sgd',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: sgd,
        options: { schedule: 'constant', l2: 1, average: true, averageAfter: 0 },
        naive: naiveSgd,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'sgd-l1',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: sgdL1,
        options: { schedule: 'constant', eta0: 0.2, l1: 0.5 },
        naive: naiveSgdL1,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'perceptron',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: perceptron,
        options: { average: false },
        naive: naivePerceptron,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'averaged perceptron',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: perceptron,
        options: {},
        naive: naivePerceptron,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'adagrad',
    /** The present weights still owe what the naive ones have paid. */
    lazy: true,
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: adagrad,
        options: { l1: 0.2, l2: 1 },
        naive: naiveAdagrad,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'averaged passive-aggressive',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: passiveAggressive,
        options: { aggressiveness: 0.3 },
        naive: naivePassiveAggressive,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'arow',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: arow,
        options: {},
        naive: naiveArow,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'sgd over a window',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: sgd,
        options: { schedule: 'constant', l2: 1, average: { window: 12 } },
        naive: naiveSgd,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'perceptron over a window',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: perceptron,
        options: { average: { window: 12 } },
        naive: naivePerceptron,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'passive-aggressive over a window',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: passiveAggressive,
        options: { aggressiveness: 0.3, average: { window: 12 } },
        naive: naivePassiveAggressive,
        corpusSize: 20,
        spec: { templates },
      }),
  },
  {
    name: 'arow over a window',
    create: (kernel: Kernel) =>
      new SideBySide({
        kernel,
        optimizer: arow,
        options: { average: { window: 12 } },
        naive: naiveArow,
        corpusSize: 20,
        spec: { templates },
      }),
  },
] as const;

type Row = (typeof rows)[number];

/** The words of which the tests look at what was learned. */
const words = Array.from({ length: 6 }, (_, i) => `late-w${i}`);

/** Sentences over words that start with `prefix`. */
function sentences(prefix: string, labels: number, count: number, seed: number): Sentence[] {
  return smallCorpus(new Random(seed), count, { labels, words: 6, longest: 3 }).map(sentence => ({
    ...sentence,
    tokens: sentence.tokens.map(token => `${prefix}${token}`),
  }));
}

/**
 * Present and deployed weights of the words' features after a run, by word (as an observation of the
 * token, and of the transition into it) and labels.
 */
function learned(row: Row, kernel: Kernel, stream: readonly Sentence[]): number[][] {
  const pair = row.create(kernel);
  for (const sentence of stream) pair.learn([pair.encode(sentence)]);
  const { model, learner } = pair;
  learner.optimizer.prepare();
  const deployed = model.parameters.emptyCopy();
  learner.optimizer.deploy(deployed.weights);
  const { width, matrixSize, scale, weights } = model.parameters;
  const numbers: number[][] = [];
  for (const word of words) {
    const probe = model.encodeKnown(sentenceOf([word, word]));
    const state = probe.stateRows[0]! * width;
    const edges = probe.edgeRows![0]! * matrixSize;
    for (const y of [0, 1, 2]) {
      numbers.push([
        scale * weights.state.view[state + y]!,
        deployed.weights.state.view[state + y]!,
      ]);
      for (const to of [0, 1, 2]) {
        const at = edges + y * width + to;
        numbers.push([scale * weights.edges.view[at]!, deployed.weights.edges.view[at]!]);
      }
    }
  }
  return numbers;
}

/** Brings the labels into being in this order, so that they have the same numbers in each run. */
function first(labels: readonly string[]): Sentence {
  return sentenceOf(labels, { tags: labels });
}

describe.each(kernelRows)('with the $name kernel', ({ kernel, tolerance, rounding }) => {
  for (const part of everyNth(50, rows)) {
    describe.each(part.rows)('$name on a stream', { tags: part.tags }, row => {
      it('learns a feature that comes late as one that was there from the start', () => {
        const own = sentences('late-', 3, 60, 21);
        const start = first(['L0', 'L1', 'L2']);
        const early = learned(row, kernel, [start, ...own]);
        for (const before of [1, 7, 150]) {
          const late = learned(row, kernel, [start, ...sentences('early-', 3, before, 22), ...own]);
          expect(difference(late.flat(), early.flat())).toBeLessThan(10 * rounding);
        }
        expect(early.filter(([weight]) => weight !== 0).length).toBeGreaterThan(15);
        expect(early.filter(([, deployed]) => deployed !== 0).length).toBeGreaterThan(15);
      });

      it('learns a label that comes late as one that was there from the start', () => {
        // L2 is first seen among the late words: the weights of early words for it are created late as well.
        const own = sentences('late-', 3, 60, 23);
        const start = first(['L0', 'L1']);
        const early = learned(row, kernel, [start, ...own]);
        const late = learned(row, kernel, [start, ...sentences('early-', 2, 80, 24), ...own]);
        expect(difference(late.flat(), early.flat())).toBeLessThan(10 * rounding);
      });

      it('follows the naive weights when old words meet new labels and new words old labels', () => {
        const pair = row.create(kernel);
        const shape = (labels: number, count: number) => ({ labels, words: count, longest: 3 });
        const random = new Random(25);
        const stream = [
          ...smallCorpus(random, 40, shape(2, 4)),
          ...smallCorpus(random, 40, shape(4, 4)),
          ...smallCorpus(random, 40, shape(4, 12)),
          ...smallCorpus(random, 20, shape(6, 20)),
        ];
        for (const [i, sentence] of stream.entries()) {
          pair.learn([pair.encode(sentence)]);
          if (!('lazy' in row)) expect(pair.presentDifference()).toBeLessThan(10 * rounding);
          if (i % 10 === 0) expect(pair.deployedDifference()).toBeLessThan(tolerance);
        }
        expect(pair.deployedDifference()).toBeLessThan(tolerance);
        expect(pair.model.labels.size).toBe(6);
      });
    });
  }
});
