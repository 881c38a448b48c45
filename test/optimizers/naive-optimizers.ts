import type { PerceptronOptions } from '../../src/optimizers/perceptron.js';
import { scheduleOf } from '../../src/optimizers/schedules/schedule-options.js';
import type { SgdOptions } from '../../src/optimizers/sgd.js';
import type { SgdL1Options } from '../../src/optimizers/sgd-l1.js';
import type { NaiveGradient, NaiveTrainer, NaiveWeight } from './naive-trainer.js';

/** What an optimizer does after each sentence, to each weight in turn. */
export interface NaiveOptimizer {
  readonly loss: 'log' | 'perceptron';
  /** Reading of the clock that weights born now get. */
  clock(): number;
  update(trainer: NaiveTrainer, sentence: NaiveGradient): void;
  /** The weight that is deployed. */
  deployed(weight: NaiveWeight): number;
}

function countIn(weight: NaiveWeight): void {
  weight.sum += weight.value;
  weight.count += 1;
}

function average(weight: NaiveWeight): number {
  return weight.count === 0 ? weight.value : weight.sum / weight.count;
}

/** w <- (1 - 2 eta l2 / N) w - eta g; the average is that of dense copies after each sentence. */
export function naiveSgd(options: SgdOptions, corpusSize: number): NaiveOptimizer {
  const schedule = scheduleOf({ ...options, schedule: options.schedule ?? 'inverse' });
  const start = Math.round(options.averageAfter * corpusSize);
  let sentences = 0;
  return {
    loss: 'log',
    clock: () => 0,
    update({ weights }, { gradient }) {
      const eta = schedule(sentences / corpusSize);
      sentences += 1;
      for (const [name, weight] of weights) {
        weight.value *= 1 - (2 * eta * options.l2) / corpusSize;
        weight.value -= eta * (gradient.get(name) ?? 0);
        if (sentences > start) countIn(weight);
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
  const charged = ({ value, received, bornAt }: NaiveWeight) => {
    const owed = total - bornAt;
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

/** Collins: w += F(gold) - F(best) after each wrong sentence; the average is over all sentences. */
export function naivePerceptron(options: PerceptronOptions): NaiveOptimizer {
  return {
    loss: 'perceptron',
    clock: () => 0,
    update({ weights }, { gradient }) {
      for (const [name, weight] of weights) {
        weight.value -= gradient.get(name) ?? 0;
        countIn(weight);
      }
    },
    deployed: weight => (options.average ? average(weight) : weight.value),
  };
}
