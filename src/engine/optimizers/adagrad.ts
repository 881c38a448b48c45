import * as z from 'zod';
import { TagstreamError } from '../core/errors.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import type { Contribution } from '../core/training/contribution.js';
import { type State, stateCount } from '../core/training/state.js';
import type { Plane } from '../kernels/memory/plane.js';
import { AdaptiveSteps, CompositePenalty } from '../kernels/rows/adaptive-steps.js';
import { importanceShape, refuseRepeats } from './importance.js';
import type { Mixing, Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { copyPlane, planeArrays, restorePlane, withoutAverage } from './planes/planes.js';

const options = z.strictObject({
  eta0: z.number().positive().default(0.2).describe('base step size eta'),
  delta: z
    .number()
    .positive()
    .default(0.1)
    .describe('added to the root of the sum of squared gradients'),
  l1: z.number().min(0).default(0).describe('L1 penalty: l1 * sum |w| over the corpus'),
  l2: z.number().min(0).default(0.5).describe('L2 penalty: l2 * sum w^2 over the corpus'),
  update: z
    .enum(['mirror-descent', 'dual-averaging'])
    .default('mirror-descent')
    .describe(
      'how weights are updated; mirror-descent: from the previous weight; dual-averaging: from the mean of all gradients, so that l1 leaves fewer weights',
    ),
  importance: importanceShape
    .optional()
    .describe(`${importanceShape.description}. Default: scaled, and repeated on a stream`),
  normalized: z
    .boolean()
    .optional()
    .describe(
      'divides the values of a feature by its largest value so far, so that columns of numbers may have any unit. Default: false, and true on a stream',
    ),
});

/** Options of `adagrad`, with their defaults. */
export type AdagradOptions = z.infer<typeof options>;

/**
 * Diagonal AdaGrad with composite penalties: each weight has its own step size,
 *
 *     s_i += g_i^2;  h_i = delta + sqrt(s_i);  u = h_i w_i - eta g_i
 *     w_i = sign(u) max(0, |u| - eta l1 / N) / (h_i + 2 eta l2 / N)
 *
 * after each sentence, for all weights: the composite mirror descent form. Weights of features absent from a sentence have g
 * = 0; their penalty over many sentences has a closed form (`CompositePenalty`) and is charged when the feature occurs again.
 * A sentence's g is summed over its tokens before squaring. Steps keep shrinking as squares accumulate, even on an endless
 * stream. Duchi, Hazan and Singer (2011).
 *
 * `update: dual-averaging` is the paper's other form, regularised dual averaging (Xiao 2010). After t sentences, with z_i the
 * sum of all g_i so far,
 *
 *     w_i = -sign(z_i) eta max(0, |z_i| - t l1 / N) / (h_i + 2 eta t l2 / N)
 *
 * A weight is 0 while the mean of its gradients over all t sentences is below l1 / N, including those without its feature.
 * Rare features therefore get no weight, whereas mirror descent gives them one with the first step and removes it over N / l1
 * sentences: models with the same scores are smaller. On an endless stream the threshold grows, so late features are hardly
 * learned. This form keeps one more number per weight, and cannot continue from another optimizer's weights.
 *
 * With `normalized`, values of a feature are divided by its largest absolute value s_i so far: g_i / s_i replaces g_i, and
 * w_i s_i replaces w_i. When a sentence raises s_i to s', w_i is multiplied by s_i / s' and the squares by (s_i / s')^2
 * before its step. The result does not depend on the unit of a numeric column; binary features have s_i = 1. This is NAG by
 * Ross, Mineiro and Langford (2013) without its factor for the number of features, which eta0 absorbs.
 *
 * A step's length is at most eta for any gradient, so a step with h times the gradient would hardly reflect a record's weight
 * h: on a stream the record gets h steps instead (`importance`).
 */
export class Adagrad implements Optimizer {
  readonly name = 'adagrad';
  readonly lazy = true;
  readonly stepSize: number;
  readonly repeats: boolean;
  readonly #context: OptimizerContext;
  readonly #steps: AdaptiveSteps;

  constructor(chosen: AdagradOptions, context: OptimizerContext) {
    this.stepSize = chosen.eta0;
    const onStream = context.endless === true && context.mixed !== true;
    this.repeats = (chosen.importance ?? (onStream ? 'repeated' : 'scaled')) === 'repeated';
    this.#context = context;
    const penalty = new CompositePenalty(chosen, context.corpusSize);
    this.#steps = new AdaptiveSteps(context.parameters, penalty, {
      normalized: chosen.normalized ?? onStream,
      averaging: chosen.update === 'dual-averaging',
    });
  }

  prepare(minibatch?: Minibatch): void {
    const { kernel, parameters } = this.#context;
    const steps = this.#steps;
    steps.reserve();
    if (minibatch === undefined || !steps.penalty.charges) return;
    for (let s = 0; s < minibatch.labelled.length; s += 1) {
      if (minibatch.labelled[s] === 1) kernel.chargeAdaptively(parameters, steps, minibatch, s);
    }
  }

  apply(contribution: Contribution): void {
    const { kernel, parameters } = this.#context;
    const { sums, sentences } = this.#steps;
    if (sums !== undefined && sentences === 0) requireNoWeights(parameters.weights);
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      kernel.stepAdaptively(parameters, this.#steps, contribution, s);
      this.#steps.sentences += 1;
    }
    parameters.version += 1;
  }

  /** Resets the scales of rows that will be reused, whose new features have had no value yet. */
  forget(stateRows: Uint32Array, edgeRows: Uint32Array): void {
    const { scales } = this.#steps;
    if (scales === undefined) return;
    for (const row of stateRows) scales.of('state')[row] = 0;
    for (const row of edgeRows) scales.of('edges')[row] = 0;
  }

  /** Charges the penalties that rows still owe. */
  settle(): void {
    this.prepare();
    const { parameters } = this.#context;
    this.deploy(parameters.weights);
    this.#steps.clocks.setAll(this.#steps.sentences);
    parameters.version += 1;
  }

  /** Absent with dual averaging: gradient sums would not reflect mixed weights. */
  get mixing(): (() => Mixing) | undefined {
    const { squares, sums } = this.#steps;
    if (sums !== undefined) return undefined;
    return () => withoutAverage(this, () => undefined, [squares]);
  }

  /** Writes the weights with all owed penalties charged. */
  deploy(target: Plane): void {
    const { kernel, parameters } = this.#context;
    copyPlane(parameters.weights, target, 1);
    kernel.chargeCopy(this.#steps, target);
  }

  save(): State {
    const { sentences, squares, sums, clocks, scales } = this.#steps;
    return {
      json: { sentences },
      arrays: {
        ...planeArrays('squares', squares),
        ...(sums === undefined ? {} : planeArrays('sums', sums)),
        ...clocks.save(),
        ...scales?.save(),
      },
    };
  }

  restore(state: State): void {
    const { squares, sums, clocks, scales } = this.#steps;
    this.#steps.sentences = stateCount(state, 'sentences');
    restorePlane('squares', squares, state);
    if (sums !== undefined) restorePlane('sums', sums, state);
    clocks.restore(state);
    scales?.restore(state);
  }
}

/** @throws TagstreamError `config` */
function requireNoWeights(weights: Plane): void {
  const tables = [weights.state, weights.edges, weights.pairs];
  if (tables.every(({ view }) => view.every(weight => weight === 0))) return;
  throw new TagstreamError('config', `${averagingOnly} the model has weights already`, {
    fix: 'use update: mirror-descent, or start from a model without weights',
  });
}

const averagingOnly = 'update: dual-averaging computes weights only from its own gradients, and';

/** The catalogue entry of `Adagrad`. */
export const adagrad: OptimizerComponent<AdagradOptions> = {
  name: 'adagrad',
  summary: 'AdaGrad: a step size for each weight, with L1 and L2',
  options,
  penalty: ({ l1, l2 }) => ({ l1, l2 }),
  // Bytes: measured at 5 to 10 on five corpora of 500 to 2,000 sentences.
  sizes: {
    perWeight: ({ update }) => (update === 'dual-averaging' ? 2 : 1),
    compact: { bytes: 7.4, penalty: 0.05, power: 0.15 },
  },
  example: 'optimize: { adagrad: { eta0: 0.2, l1: 0, l2: 0.5 } }',
  makesZeros: ({ l1 }) => l1 > 0,
  goesOn: ({ update }) => update === 'mirror-descent',
  refuses({ update, importance, normalized }, settings) {
    const given = settings.cluster === undefined ? 'start' : 'cluster';
    if (update === 'dual-averaging' && settings[given] !== undefined) {
      return {
        setting: given,
        problem: `${averagingOnly} train.${given} starts from other weights`,
        fix: `use update: mirror-descent, or leave ${given} out`,
      };
    }
    if (normalized === true && settings.cluster !== undefined) {
      return {
        setting: { option: 'normalized' },
        problem:
          'normalized: true cannot be combined with train.cluster: each machine would divide by different scales before weights are mixed',
        fix: 'leave normalized out',
      };
    }
    return refuseRepeats(importance, settings);
  },
  create: (chosen, context) => new Adagrad(chosen, context),
};
