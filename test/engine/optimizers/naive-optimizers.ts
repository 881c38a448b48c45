import type { EncodedSentence } from '../../../src/engine/core/minibatch/encoded-sentence.js';
import type { AdagradOptions } from '../../../src/engine/optimizers/adagrad.js';
import type { ArowOptions } from '../../../src/engine/optimizers/arow.js';
import type { AverageOption } from '../../../src/engine/optimizers/averaging/average-option.js';
import type { PassiveAggressiveOptions } from '../../../src/engine/optimizers/passive-aggressive.js';
import type { PerceptronOptions } from '../../../src/engine/optimizers/perceptron.js';
import { scheduleOf } from '../../../src/engine/optimizers/schedules/schedules.js';
import type { SgdOptions } from '../../../src/engine/optimizers/sgd.js';
import type { SgdL1Options } from '../../../src/engine/optimizers/sgd-l1.js';
import type { NaiveGradient, NaiveTrainer, NaiveWeight } from './naive-trainer.js';

/** What an optimizer does after each sentence, to each weight in turn. */
export interface NaiveOptimizer {
  readonly loss: 'log' | 'perceptron';
  /** Reading of the clock that weights created now get. */
  clock(): number;
  /** What is done to the weights of a sentence before its update. */
  prepare?(trainer: NaiveTrainer, sentence: EncodedSentence): void;
  update(trainer: NaiveTrainer, sentence: NaiveGradient): void;
  /** The weight that is deployed. */
  deployed(weight: NaiveWeight): number;
}

/** Counts the weight after a sentence; over a window, what came before counts less with each. */
function countIn(weight: NaiveWeight, option: AverageOption | undefined): void {
  const kept = typeof option === 'object' ? 1 - 1 / option.window : 1;
  weight.sum = kept * weight.sum + weight.value;
  weight.count = kept * weight.count + 1;
}

function average(weight: NaiveWeight): number {
  return weight.count === 0 ? weight.value : weight.sum / weight.count;
}

/** w <- max(0, 1 - 2 eta l2 / N) w - eta g; the average is that of dense copies after each sentence. */
export function naiveSgd(options: SgdOptions, corpusSize: number): NaiveOptimizer {
  const schedule = scheduleOf({ ...options, schedule: options.schedule ?? 'inverse' });
  const start = Math.round((options.averageAfter ?? 1) * corpusSize);
  const window = typeof options.average === 'object';
  const early = window || options.averageAfter === undefined;
  // Where it starts again: after half of that, a quarter, and so on.
  const halves = new Set(Array.from({ length: 30 }, (_, k) => Math.round(start / 2 ** k)));
  let sentences = 0;
  return {
    loss: 'log',
    clock: () => 0,
    update({ weights }, { gradient }) {
      const eta = schedule(sentences / corpusSize);
      const restarts = early && !window && halves.has(sentences);
      sentences += 1;
      for (const [name, weight] of weights) {
        if (restarts) [weight.sum, weight.count] = [0, 0];
        weight.value *= Math.max(0, 1 - (2 * eta * options.l2) / corpusSize);
        weight.value -= eta * (gradient.get(name) ?? 0);
        if (early || sentences > start) countIn(weight, options.average);
      }
    },
    deployed: weight => (options.average ? average(weight) : weight.value),
  };
}

/** Tsuruoka, Tsujii and Ananiadou: gradient step, then the weights of active features are clipped. */
export function naiveSgdL1(options: SgdL1Options, corpusSize: number): NaiveOptimizer {
  const schedule = scheduleOf({ ...options, schedule: options.schedule ?? 'exponential' });
  let sentences = 0;
  let total = 0;
  const charged = ({ value, received, createdAt }: NaiveWeight) => {
    const owed = total - createdAt;
    if (value > 0) return Math.max(0, value - (owed + received));
    if (value < 0) return Math.min(0, value + (owed - received));
    return value;
  };
  return {
    loss: 'log',
    clock: () => total,
    update({ weights }, { gradient, active }) {
      const eta = schedule(sentences / corpusSize);
      sentences += 1;
      for (const weight of weights.values()) {
        weight.value *= Math.max(0, 1 - (2 * eta * options.l2) / corpusSize);
      }
      total += (eta * options.l1) / corpusSize;
      for (const name of active) {
        const weight = weights.get(name)!;
        weight.value -= eta * gradient.get(name)!;
        const before = weight.value;
        weight.value = charged(weight);
        weight.received += weight.value - before;
      }
    },
    deployed: charged,
  };
}

/** The gradient step, then the weights of active features are one step smaller, not past zero. */
export function naiveSgdL1Clipping(options: SgdL1Options, corpusSize: number): NaiveOptimizer {
  const schedule = scheduleOf({ ...options, schedule: options.schedule ?? 'exponential' });
  let sentences = 0;
  return {
    loss: 'log',
    clock: () => 0,
    update({ weights }, { gradient, active }) {
      const eta = schedule(sentences / corpusSize);
      sentences += 1;
      for (const name of active) {
        const weight = weights.get(name)!;
        weight.value -= eta * gradient.get(name)!;
        const size = Math.max(0, Math.abs(weight.value) - (eta * options.l1) / corpusSize);
        weight.value = Math.sign(weight.value) * size;
      }
    },
    deployed: ({ value }) => value,
  };
}

/** w <- w - eta (g + C / N sign(w)), each weight at each step. */
export function naiveSgdL1Naive(options: SgdL1Options, corpusSize: number): NaiveOptimizer {
  const schedule = scheduleOf({ ...options, schedule: options.schedule ?? 'exponential' });
  let sentences = 0;
  return {
    loss: 'log',
    clock: () => 0,
    update({ weights }, { gradient }) {
      const eta = schedule(sentences / corpusSize);
      sentences += 1;
      for (const [name, weight] of weights) {
        const slope =
          (gradient.get(name) ?? 0) + (options.l1 / corpusSize) * Math.sign(weight.value);
        weight.value -= eta * slope;
      }
    },
    deployed: ({ value }) => value,
  };
}

/** Collins: w += F(gold) - F(best) after each wrong sentence; the average is over all sentences. */
export function naivePerceptron(options: PerceptronOptions): NaiveOptimizer {
  return {
    loss: 'perceptron',
    clock: () => 0,
    update({ weights }, { gradient }) {
      for (const [name, weight] of weights) {
        weight.value -= gradient.get(name) ?? 0;
        countIn(weight, options.average);
      }
    },
    deployed: weight => (options.average ? average(weight) : weight.value),
  };
}

/** Duchi, Hazan and Singer: every weight makes the composite step after every sentence, with g = 0 too. */
export function naiveAdagrad(options: AdagradOptions, corpusSize: number): NaiveOptimizer {
  const { eta0, delta, normalized, update } = options;
  const l1 = options.l1 / corpusSize;
  const l2 = options.l2 / corpusSize;
  let sentences = 0;
  return {
    loss: 'log',
    clock: () => 0,
    prepare(trainer, sentence) {
      if (!normalized) return;
      trainer.eachValue(sentence, (weight, value) => {
        if (Math.abs(value) <= weight.scale) return;
        const ratio = weight.scale / Math.abs(value);
        weight.scale = Math.abs(value);
        if (ratio === 0) return;
        weight.value *= ratio;
        weight.squares *= ratio ** 2;
        weight.sum *= ratio;
      });
    },
    update({ weights }, { gradient }) {
      sentences += 1;
      for (const [name, weight] of weights) {
        const scale = weight.scale || 1;
        const g = (gradient.get(name) ?? 0) / scale;
        weight.squares += g ** 2;
        const h = delta + Math.sqrt(weight.squares);
        if (update === 'dual-averaging') {
          weight.sum += g;
          const z = weight.sum;
          // The minimum of z w + t (l1 |w| + l2 w^2) + h w^2 / (2 eta), by halving where its slope changes sign.
          const slopeAt = (w: number) =>
            z + sentences * (l1 * Math.sign(w) + 2 * l2 * w) + (h * w) / eta0;
          let [low, high] = [-1e3, 1e3];
          for (let i = 0; i < 64; i += 1) {
            const middle = (low + high) / 2;
            if (slopeAt(middle) > 0) high = middle;
            else low = middle;
          }
          weight.value = Math.abs(low) < 1e-12 ? 0 : low / scale;
          continue;
        }
        // The minimum of g w + l1 |w| + l2 w^2 + h (w - weight)^2 / (2 eta): where its slope is 0, for the weight of the
        // feature divided by its scale.
        const slope = (h * weight.value * scale) / eta0 - g;
        const curvature = h / eta0 + 2 * l2;
        const value = (Math.sign(slope) * Math.max(0, Math.abs(slope) - l1)) / curvature;
        weight.value = value / scale;
      }
    },
    deployed: ({ value }) => value,
  };
}

/** Crammer et al.: the step is found from the whole vectors of features of the two label sequences. */
export function naivePassiveAggressive(options: PassiveAggressiveOptions): NaiveOptimizer {
  const c = options.aggressiveness;
  return {
    loss: 'perceptron',
    clock: () => 0,
    update({ weights }, { gradient, wrong }) {
      let loss = wrong;
      let norm = 0;
      for (const [name, d] of gradient) {
        loss += d * weights.get(name)!.value;
        norm += d ** 2;
      }
      let step = wrong === 0 || loss <= 0 ? 0 : loss / norm;
      if (options.variant === 'pa-1') step = Math.min(c, step);
      if (options.variant === 'pa-2') step = step === 0 ? 0 : loss / (norm + 1 / (2 * c));
      for (const [name, weight] of weights) {
        weight.value -= step * (gradient.get(name) ?? 0);
        countIn(weight, options.average);
      }
    },
    deployed: weight => (options.average ? average(weight) : weight.value),
  };
}

/** Crammer, Kulesza and Dredze, with the variances themselves and not their inverses. */
export function naiveArow({ r, average: option }: ArowOptions): NaiveOptimizer {
  const sigma = new Map<string, number>();
  return {
    loss: 'perceptron',
    clock: () => 0,
    update({ weights }, { gradient, wrong }) {
      learn(weights, gradient, wrong);
      for (const weight of weights.values()) countIn(weight, option);
    },
    deployed: weight => (option ? average(weight) : weight.value),
  };
  function learn(
    weights: NaiveTrainer['weights'],
    gradient: NaiveGradient['gradient'],
    wrong: number,
  ): void {
    let loss = wrong;
    let variance = 0;
    for (const [name, d] of gradient) {
      loss += d * weights.get(name)!.value;
      variance += (sigma.get(name) ?? 1) * d ** 2;
    }
    if (wrong === 0 || loss <= 0) return;
    for (const [name, d] of gradient) {
      const s = sigma.get(name) ?? 1;
      weights.get(name)!.value -= (loss / (variance + r)) * s * d;
      sigma.set(name, (s * r) / (r + s * d ** 2));
    }
  }
}
