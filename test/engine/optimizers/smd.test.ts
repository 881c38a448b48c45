import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../../src/engine/core/random.js';
import { logLoss } from '../../../src/engine/losses/log-loss.js';
import type { Loss } from '../../../src/engine/losses/loss.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { createOnlineLearner } from '../../../src/engine/models/learning/learner.js';
import { adagrad } from '../../../src/engine/optimizers/adagrad.js';
import { sgd } from '../../../src/engine/optimizers/sgd.js';
import { sgdL1 } from '../../../src/engine/optimizers/sgd-l1.js';
import { smd } from '../../../src/engine/optimizers/smd.js';
import { sentenceOf } from '../features/sentence-of.js';
import { modelWith } from '../models/examples/model-with.js';

/** How much label y bends the quadratic loss, and where its score is to be. */
const bends = [1.5, 0.25, 0.7];
const targets = [0.8, -1.2, 0.3];

/** The sum of a_y (score - target_y)^2 / 2 over tokens and labels: its Hessian is known. */
const quadratic: Loss = {
  ...logLoss,
  apply(_, lattice, s) {
    const { batch, width, nodes, emissionScores } = lattice;
    const { sentenceStarts } = batch!;
    let sum = 0;
    for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
      for (const [y, a] of bends.entries()) {
        const off = emissionScores.view[t * width + y]! - targets[y]!;
        nodes.view[t * width + y] = a * off;
        sum += (a / 2) * off * off;
      }
    }
    return sum;
  },
};

const words = ['a', 'b', 'c', 'd'];

/** Features of each token: its word, and the word before. */
function featuresOf(tokens: readonly string[]): number[][] {
  return tokens.map((token, t) => {
    const before = t === 0 ? words.length : words.indexOf(tokens[t - 1]!);
    return [words.indexOf(token), words.length + before];
  });
}

describe.each([adagrad, sgd] as const)('$name', ({ refuses, options }) => {
  const refusal = (importance: string, workers: number) =>
    refuses!(options.parse({ importance }) as never, { workers });

  it('repeats records of one thread only', () => {
    expect(refusal('repeated', 2)).toMatchObject({ setting: { option: 'importance' } });
    expect(refusal('repeated', 1)).toBeUndefined();
    expect(refusal('scaled', 2)).toBeUndefined();
  });
});

describe('stochastic meta-descent', () => {
  it.each(['workers', 'cluster'] as const)('is refused with train.%s', setting => {
    const refusal = smd.refuses!(smd.options.parse({}), {
      workers: 2,
      [setting]: setting === 'workers' ? 2 : {},
    });
    expect(refusal).toMatchObject({ setting, fix: expect.stringContaining('sgd') });
    expect(smd.refuses!(smd.options.parse({}), { workers: 1 })).toBeUndefined();
  });

  it('follows the closed recursion of its gains where the Hessian is known', () => {
    const corpusSize = 50;
    const options = { eta0: 0.1, mu: 0.3, lambda: 0.8, l2: 2 };
    const model = modelWith(kernels.simd64, {
      templates: 'U0:%x[0,0]\nU1:%x[-1,0]',
      columns: ['form'],
    });
    const learner = createOnlineLearner(model, {
      loss: quadratic,
      optimizer: smd,
      options,
      corpusSize,
    });
    const known = sentenceOf(words.slice(0, 3), { tags: ['X', 'Y', 'Z'] });
    model.encode(known);
    const random = new Random(5);
    const count = 2 * words.length + 1;
    const make = (value: number) => Array.from({ length: count }, () => bends.map(() => value));
    const [w, v, eta, clock] = [make(0), make(0), make(options.eta0), make(0)];
    const pull = (2 * options.l2) / corpusSize;
    for (let n = 0; n < 120; n += 1) {
      const length = 1 + random.below(4);
      const tokens = Array.from({ length }, () => words[random.below(words.length)]!);
      const batch = packMinibatch([
        model.encode(sentenceOf(tokens, { tags: tokens.map(() => 'X') })),
      ]);
      learner.apply(learner.contribute(batch));
      const seen = featuresOf(tokens);
      const active = new Set(seen.flat());
      for (const [y, a] of bends.entries()) {
        for (const f of active) {
          w[f]![y]! *= (1 - eta[f]![y]! * pull) ** (n - clock[f]![y]!);
          clock[f]![y] = n + 1;
        }
        const slope = (at: number[][], target: number) => (f: number) =>
          seen.reduce((sum, own) => {
            const score = own.reduce((total, g) => total + at[g]![y]!, 0);
            const times = own.filter(g => g === f).length;
            return sum + a * times * (score - target);
          }, 0);
        const gradient = slope(w, targets[y]!);
        const bent = slope(v, 0);
        const steps = [...active].map(f => ({
          f,
          g: gradient(f) + pull * w[f]![y]!,
          h: bent(f) + pull * v[f]![y]!,
        }));
        for (const { f, g, h } of steps) {
          eta[f]![y]! *= Math.max(0.5, 1 - options.mu * g * v[f]![y]!);
          w[f]![y]! -= eta[f]![y]! * g;
          v[f]![y] = options.lambda * v[f]![y]! - eta[f]![y]! * (g + options.lambda * h);
        }
      }
    }
    const { arrays } = learner.optimizer.save();
    const { width, weights } = model.parameters;
    const gains = arrays['gains.state'] as Float64Array;
    const traces = arrays['traces.state'] as Float64Array;
    let changed = 0;
    for (const word of words) {
      const [row, before] = model.encodeKnown(sentenceOf([word, word])).stateRows.slice(2, 4);
      for (const [f, place] of [
        [words.indexOf(word), row!],
        [words.length + words.indexOf(word), before!],
      ] as const) {
        for (let y = 0; y < bends.length; y += 1) {
          const at = place * width + y;
          expect(weights.state.view[at]).toBeCloseTo(w[f]![y]!, 8);
          expect(options.eta0 * (1 + gains[at]!)).toBeCloseTo(eta[f]![y]!, 8);
          expect(traces[at]).toBeCloseTo(v[f]![y]!, 8);
          if (Math.abs(eta[f]![y]! / options.eta0 - 1) > 0.05) changed += 1;
        }
      }
    }
    expect(changed).toBeGreaterThan(12);
  });
});

describe('strong penalties and many passes', () => {
  const sentences = Array.from({ length: 5 }, (_, i) => {
    const tokens = Array.from({ length: 3 + ((3 + i) % 4) }, (__, k) => `w${(i * 2 + k * 7) % 9}`);
    return sentenceOf(tokens, {
      tags: tokens.map((word, k) => `L${(word.charCodeAt(1) + k) % 3}`),
    });
  });
  const strong = [
    ...[1, 5, 25, 100].flatMap(l2 => [
      { optimizer: smd, options: { l2 } },
      { optimizer: sgd, options: { l2 } },
      { optimizer: sgd, options: { l2, average: true } },
      { optimizer: sgd, options: { l2, average: { window: 4 } } },
      { optimizer: sgdL1, options: { l2, l1: l2 / 10 } },
      { optimizer: adagrad, options: { l2, l1: l2 } },
    ]),
    { optimizer: smd, options: { l2: 1, mu: 0.1 } },
  ];

  it.each(strong.map(({ optimizer, options }) => [optimizer.name, options, optimizer] as const))(
    'leave the weights of %s finite: %j',
    (_, given, optimizer) => {
      const model = modelWith(kernels.simd, { templates: 'U:%x[0,0]\nU:%x[-1,0]\nB' });
      const encoded = sentences.map(sentence => model.encode(sentence));
      const learner = createOnlineLearner(model, {
        ...{ loss: logLoss, optimizer: optimizer as never, options: given as never },
        corpusSize: sentences.length,
      });
      let loss = Number.NaN;
      let untrained = 0;
      for (let pass = 0; pass < 800; pass += 1) {
        loss = 0;
        for (const one of encoded)
          loss += learner.apply(learner.contribute(packMinibatch([one]))).contribution.loss;
        if (pass === 0) untrained = encoded.reduce((sum, one) => sum + one.length * Math.log(3), 0);
      }
      const { weights } = learner.deployedParameters();
      for (const table of ['state', 'edges'] as const)
        expect(weights[table].view.every(Number.isFinite)).toBe(true);
      expect(loss).toBeLessThan(1.5 * untrained);
    },
  );
});
