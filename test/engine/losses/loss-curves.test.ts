import { describe, expect, it } from 'vitest';
import { packMinibatch } from '../../../src/engine/core/minibatch/pack-minibatch.js';
import { Lattice } from '../../../src/engine/kernels/lattice.js';
import { contributionOf } from '../../../src/engine/losses/contribution-of.js';
import { exponentialLoss, logLoss } from '../../../src/engine/losses/factories.js';
import type { Loss } from '../../../src/engine/losses/loss.js';
import { RankLoss } from '../../../src/engine/metrics/evaluation/rank-loss.js';
import { createModel } from '../../../src/engine/models/create-model.js';
import { alternatives } from '../../../src/engine/models/decoding/decoded.js';
import { Decoder } from '../../../src/engine/models/decoding/decoder.js';
import { kernels } from '../../../src/engine/models/kernels.js';
import { plotPicture } from '../../../src/reports/study/plot-drawing.js';
import { sentenceOf } from '../features/sentence-of.js';

/** A sentence of one token with one of two labels: the binary classification of Altun et al. (2003), figure 2. */
class BinaryProblem {
  readonly #model = createModel({ templates: 'U:%x[0,0]' }, undefined, kernels.simd64);
  readonly #batch = packMinibatch([
    this.#model.encode(sentenceOf(['a'], { tags: ['right'] })),
    this.#model.encode(sentenceOf(['a'], { tags: ['wrong'] })),
  ]);

  constructor() {
    this.#model.reserve();
  }

  /** The losses with the weights at which the right label has the probability p. */
  at(p: number): { log: number; exponential: number; rank: number } {
    const { parameters, labels } = this.#model;
    const [right, wrong] = ['right', 'wrong'].map(name => labels.names.indexOf(name));
    const state = parameters.weights.state.view;
    const row = this.#batch.stateRows[0]! * parameters.width;
    state[row + right!] = Math.log(p) / 2;
    state[row + wrong!] = Math.log(p) / 2 - Math.log(p / (1 - p));
    const ranks = new RankLoss(2);
    const { nbest } = new Decoder(kernels.simd64).decode(parameters, this.#batch, { nbest: 2 });
    ranks.add(['right'], alternatives(nbest![0]!, labels.names));
    return {
      log: this.#loss(logLoss()),
      exponential: this.#loss(exponentialLoss({ bound: 300 })),
      rank: ranks.summary().loss,
    };
  }

  #loss(loss: Loss): number {
    const { kernel, parameters } = this.#model;
    const lattice = new Lattice(parameters.memory, parameters.precision);
    return contributionOf(kernel, parameters, lattice, this.#batch, loss).losses[0]!;
  }
}

const problem = new BinaryProblem();

describe('figure 2 of Altun, Johnson and Hofmann (2003)', () => {
  it('has losses that are functions of the probability of the right label', () => {
    for (const p of [0.01, 0.1, 0.25, 0.4999, 0.5001, 0.75, 0.9, 0.99]) {
      const { log, exponential, rank } = problem.at(p);
      expect(log).toBeCloseTo(-Math.log(p), 10);
      expect(exponential).toBeCloseTo(1 / p - 1, 8);
      expect(rank).toBe(p < 0.5 ? 1 : 0);
      expect(exponential).toBeGreaterThan(rank);
    }
  });

  it('is drawn as the page shows it', async () => {
    const places = Array.from({ length: 45 }, (_, i) => (11 + 2 * i) / 100);
    // The axes of the paper: p from 0.1, losses to 3.5.
    const line = (name: string, of: 'log' | 'exponential' | 'rank') => ({
      name,
      points: places.map(p => ({ name, x: p, y: problem.at(p)[of] })).filter(({ y }) => y <= 3.5),
    });
    const picture = plotPicture({
      title: 'Losses by the probability of the right label, two labels',
      x: { title: 'p(right label)', digits: 3, log: false },
      y: { title: 'loss', digits: 3, log: false },
      lines: [
        line('exponential loss', 'exponential'),
        line('log loss', 'log'),
        line('rank loss, 0 or 1', 'rank'),
      ],
    });
    await expect(picture).toMatchFileSnapshot('../../../pipelines/papers/altun-2003-figure-2.svg');
  });
});
