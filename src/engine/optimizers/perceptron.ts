import * as z from 'zod';
import type { SettingRefusal, TrainingSettings } from '../core/component.js';
import { TagstreamError } from '../core/errors.js';
import type { Contribution } from '../core/training/contribution.js';
import { type State, stateCount } from '../core/training/state.js';
import { averageOption, windowRefusal } from './averaging/average-option.js';
import { AveragedSteps } from './averaging/averaged-steps.js';
import type { Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { hasWrong } from './wrong-tokens.js';

const options = z.strictObject({
  average: averageOption.default(true).describe('deploy the average of the weights'),
  untilSeparated: z
    .boolean()
    .default(false)
    .describe('stop after a pass without mistakes, in which no weight changes'),
});

/** Options of `perceptron`, with their defaults. */
export type PerceptronOptions = z.infer<typeof options>;

/**
 * The averaged structured perceptron: w += F(gold) - F(best) after each sentence with a mistake; the average of w over
 * all sentences is deployed. For the perceptron loss. Collins (2002).
 *
 * If some weights of norm 1 score the gold labels of each sentence by at least delta above all others, and
 * |F(gold) - F(y)| <= R for all y, at most R^2 / delta^2 mistakes are made in total (Collins, lecture 4, "Convergence of
 * the Structured Perceptron"). With `untilSeparated` training ends after a pass without mistakes. Otherwise it
 * continues: no weight changes, but the average approaches the last weights.
 */
export class Perceptron extends AveragedSteps implements Optimizer {
  readonly name = 'perceptron';
  readonly stepSize = 1;
  readonly #untilSeparated: boolean;
  #right = 0;

  /** @throws TagstreamError `config` if training must end after a pass without mistakes but has no passes */
  constructor(chosen: PerceptronOptions, context: OptimizerContext) {
    super(context, chosen.average);
    if (chosen.untilSeparated && context.endless === true) throw withoutPasses();
    this.#untilSeparated = chosen.untilSeparated;
  }

  protected factor(contribution: Contribution, s: number): number {
    const wrong = hasWrong(contribution, s);
    this.#right = wrong ? 0 : this.#right + 1;
    return wrong ? -1 : 0;
  }

  get rightInARow(): number | undefined {
    return this.#untilSeparated ? this.#right : undefined;
  }

  override save(): State {
    const { json, arrays } = super.save();
    return { json: this.#untilSeparated ? { ...json, right: this.#right } : json, arrays };
  }

  override restore(state: State): void {
    super.restore(state);
    if (this.#untilSeparated) this.#right = stateCount(state, 'right');
  }
}

function withoutPasses(): TagstreamError {
  return new TagstreamError('config', 'perceptron: untilSeparated needs passes over a corpus', {
    fix: 'give train.epochs, or leave out untilSeparated',
  });
}

/** The catalogue entry of `Perceptron`. */
export const perceptron: OptimizerComponent<PerceptronOptions> = {
  name: 'perceptron',
  summary: 'the averaged structured perceptron of Collins (2002)',
  options,
  sizes: { perWeight: () => 0 },
  example: 'optimize: { perceptron: {} }',
  hogwild: true,
  singlePairs: true,
  losses: ['perceptron'],
  refuses: ({ average, untilSeparated }, training) =>
    windowRefusal(average, training) ?? (untilSeparated ? unfitForSeparation(training) : undefined),
  create: (chosen, context) => new Perceptron(chosen, context),
};

/** Returns why the mistakes of a whole pass cannot be counted in a training run; undefined if they can. */
function unfitForSeparation({
  epochs,
  seeds = 1,
  dropout = 0,
  mode,
}: TrainingSettings): SettingRefusal | undefined {
  const unfit = (problem: string, fix: string): SettingRefusal => ({
    ...{ setting: { option: 'untilSeparated' }, problem, fix },
  });
  if (epochs === undefined) {
    const fix = 'give train.epochs, or leave untilSeparated out';
    return unfit('a stream has no passes, so none can be free of mistakes', fix);
  }
  if (dropout > 0) {
    return unfit(
      'with dropout each pass has other features, and one without a mistake says nothing',
      'leave dropout or untilSeparated out',
    );
  }
  if (mode === 'hogwild') {
    return unfit(
      'in the mode hogwild no thread sees the mistakes of a whole pass',
      'use mode: deterministic, or leave untilSeparated out',
    );
  }
  if (seeds === 1) return undefined;
  const fix = 'leave untilSeparated out, or leave seeds out';
  return { setting: 'seeds', problem: 'with seeds, every seed runs all its passes', fix };
}
