import * as z from 'zod';
import { TagstreamError } from '../core/errors.js';
import type { Contribution } from '../core/training/contribution.js';
import { type State, stateCount, wrongState } from '../core/training/state.js';
import { averageOption, windowRefusal } from './averaging/average-option.js';
import { AveragedWeights } from './averaging/averaged-steps.js';
import { importanceShape, refuseRepeats } from './importance.js';
import type { Mixing, Optimizer, OptimizerComponent, OptimizerContext } from './optimizer.js';
import { type Schedule, scheduleOf, scheduleShape, shrinkingShare } from './schedules/schedules.js';

const options = z
  .strictObject({
    ...scheduleShape,
    eta0: scheduleShape.eta0.default(0.1),
    schedule: z
      .optional(scheduleShape.schedule)
      .describe(
        `${scheduleShape.schedule.description}; default: inverse, and constant on a stream`,
      ),
    l2: z.number().min(0).default(0.5).describe('L2 penalty: l2 * sum w^2 over the corpus'),
    importance: importanceShape
      .optional()
      .describe(`${importanceShape.description}. Default: scaled`),
    average: averageOption.default(false).describe('deploy the average of the weights'),
    averageAfter: z
      .optional(z.number().min(0))
      .describe(
        'passes before averaging starts, fractions allowed; before that the model has no average. Default: 1, or half of the data in a run of one pass. On a stream, the average before that covers the latest quarter to half of the sentences',
      ),
  })
  .refine(({ average, averageAfter }) => average === true || averageAfter === undefined, {
    message: 'averageAfter needs average: true',
    path: ['averageAfter'],
  });

/** Options of `sgd`, with their defaults. */
export type SgdOptions = z.infer<typeof options>;

/**
 * Scale below which it is multiplied into the weights. The average of weights w = s v is a difference of
 * two numbers as large as w / s, for which float32 has less room than float64.
 */
const leastScales = { float64: 1e-6, float32: 1e-2 } as const;

/**
 * Stochastic gradient descent with L2, plain or averaged:
 *
 *     w <- max(0, 1 - 2 eta l2 / N) w - eta * gradient of the sentence's loss
 *
 * The weights are kept as w = scale * v, so that shrinking all of them costs one multiplication. Bottou
 * (2007); averaging as in Xu (2011).
 */
export class Sgd extends AveragedWeights implements Optimizer {
  readonly name = 'sgd';
  readonly #options: SgdOptions;
  readonly #schedule: Schedule;
  /** Number of sentences before averaging starts. */
  readonly #averageAfter: number;
  /** Whether averaging also starts earlier, because training may end before `#averageAfter`. */
  readonly #averagesEarly: boolean;
  #sentences = 0;

  constructor(chosen: SgdOptions, context: OptimizerContext) {
    super(context, chosen.average, true);
    this.#options = chosen;
    const usual = context.endless === true ? 'constant' : 'inverse';
    this.#schedule = scheduleOf({ ...chosen, schedule: chosen.schedule ?? usual });
    const { averageAfter } = chosen;
    this.#averageAfter = Math.round((averageAfter ?? 1) * context.corpusSize);
    this.#averagesEarly = averageAfter === undefined || context.endless === true;
  }

  get repeats(): boolean {
    return this.#options.importance === 'repeated';
  }

  get stepSize(): number {
    return this.#schedule(this.#sentences / this.context.corpusSize);
  }

  apply(contribution: Contribution): void {
    const { kernel, parameters, corpusSize } = this.context;
    const { labelled } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      if (this.#averagesEarly && this.#isAtHalf()) this.averaging?.restart();
      this.window?.before(contribution.minibatch, s);
      const eta = this.stepSize;
      parameters.scale *= 1 - shrinkingShare((2 * eta * this.#options.l2) / corpusSize);
      if (parameters.scale < leastScales[parameters.precision]) this.#multiplyScaleIn();
      const factor = -eta / parameters.scale;
      kernel.accumulate(parameters, parameters.weights, contribution, s, factor);
      this.#sentences += 1;
      if (this.#averagesEarly || this.#sentences > this.#averageAfter) {
        this.averaging?.follow(kernel, parameters, contribution, s, factor);
      }
      this.window?.after();
    }
    parameters.version += 1;
  }

  /**
   * Returns whether averaging starts with the next sentence, or would if training ended after two, four,
   * ... times as many sentences.
   */
  #isAtHalf(): boolean {
    let start = this.#averageAfter;
    while (Math.round(start) > this.#sentences) start /= 2;
    return Math.round(start) === this.#sentences;
  }

  #multiplyScaleIn(): void {
    const { kernel, parameters } = this.context;
    this.averaging?.beforeRescaling(kernel, parameters);
    this.window?.beforeRescaling();
    kernel.scalePlane(parameters.weights, parameters.scale);
    parameters.scale = 1;
  }

  override mixing(): Mixing {
    const startAt = (sentences: number) => {
      this.#sentences = sentences;
    };
    return { ...super.mixing(), startAt };
  }

  save(): State {
    const averaging = (this.averaging ?? this.window)?.save();
    return {
      json: { sentences: this.#sentences, averaging: averaging?.json ?? null },
      arrays: averaging?.arrays ?? {},
    };
  }

  restore(state: State): void {
    this.#sentences = stateCount(state, 'sentences');
    const own = this.averaging ?? this.window;
    if (own === undefined) return;
    const json = state.json.averaging as Record<string, unknown> | null | undefined;
    if (typeof json !== 'object' || json === null) throw wrongState('there is no average');
    own.restore({ json, arrays: state.arrays });
  }
}

/** The catalogue entry of `Sgd`. */
export const sgd: OptimizerComponent<SgdOptions> = {
  name: 'sgd',
  summary: 'stochastic gradient descent with L2, plain or averaged',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  sizes: { perWeight: () => 0, compact: { bytes: 3, penalty: 0.2, power: 0.6 } },
  example: 'optimize: { sgd: { eta0: 0.1, l2: 0.5, schedule: inverse } }',
  hogwild: true,
  singlePairs: true,
  forPasses: averagedIn,
  refuses: ({ average, importance }, training) =>
    windowRefusal(average, training) ?? refuseRepeats(importance, training),
  create: (chosen, context) => new Sgd(chosen, context),
};

/**
 * Returns the options with averaging after the first pass, or after half of a run of at most one pass.
 */
function averagedIn(chosen: SgdOptions, passes: number): SgdOptions {
  const { average, averageAfter = passes > 1 ? 1 : passes / 2 } = chosen;
  if (average !== true) return chosen;
  if (averageAfter < passes) return { ...chosen, averageAfter };
  throw new TagstreamError(
    'config',
    `averageAfter: averaging would start after pass ${averageAfter}, but training ends after pass ${passes}`,
    { fix: `set averageAfter below ${passes} or leave it out, or leave average out` },
  );
}
