import * as z from 'zod/mini';
import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { type State, type Stateful, wrongState } from '../../core/training/state.js';
import type { PassMargin } from '../../core/training/trainer.js';
import type { Scores, TrainingStep } from '../../core/training/training-step.js';

/** The report on training at the end of a pass. */
export interface PassRecord {
  readonly pass: number;
  /** Mean loss per token, rounded to nine digits. */
  readonly loss: number;
  /** Scores on held-out data, if evaluated after this pass. */
  readonly scores?: Scores;
  /**
   * Number of mistakes and smallest margin, rounded to nine digits, for losses with margins; not in
   * model files.
   */
  readonly margin?: PassMargin;
}

const count = z.int().check(z.minimum(0));
const percent = z.nullable(z.number());

/** Schema of stored passes. */
export const passesSchema: z.ZodMiniType<readonly PassRecord[]> = z.array(
  z.object({
    pass: z.int().check(z.minimum(1)),
    loss: z.number(),
    scores: z.optional(
      z.object({
        sentences: count,
        tokens: count,
        accuracy: percent,
        precision: z.optional(percent),
        recall: z.optional(percent),
        f1: z.optional(percent),
        tagF1: z.optional(percent),
        schemes: z.optional(z.object({ gold: z.string(), model: z.string() })),
        skipped: z.optional(count),
        rank: z.optional(
          z.object({
            ...{ limit: count, sentences: count, loss: count, mean: percent, beyond: count },
            within: z.array(z.object({ best: count, sentences: count, share: percent })),
          }),
        ),
      }),
    ) as unknown as z.ZodMiniType<Scores>,
    margin: z.optional(
      z.object({ mistakes: count, smallest: z.number() }),
    ) as unknown as z.ZodMiniType<PassMargin>,
  }),
);

/**
 * Returns why a training diverged, if that is what a thrown error says. A run of several trainings reports it as the result
 * of the one, and goes on with the others.
 */
export function divergenceOf(thrown: unknown): string | undefined {
  return thrown instanceof TagstreamError && thrown.code === 'numeric' ? thrown.problem : undefined;
}

/** Number of passes before training is judged: the first ones may be uneven. */
const fewestPasses = 3;

/** Minimum growth of the loss per token that is not considered noise. */
const leastGrowth = 0.1;

const smallerSteps =
  'lower eta0, cut long records, or make minibatches of tokens (batch: { tokens: 1000 })';

const shown = (loss: number) => loss.toPrecision(3);

/**
 * The reports on training, pass by pass; kept with the model. Contains no times, so that the same
 * training gives the same history.
 *
 * @example
 * const history = new TrainingHistory();
 * history.note({ passEnd: 1, meanLoss: 0.25 });
 * history.passes // => [{ pass: 1, loss: 0.25 }]
 */
export class TrainingHistory implements Stateful {
  readonly #untrained: () => number | undefined;
  /** Mean weight per token. */
  #weight = 1;
  #passes: PassRecord[] = [];

  /**
   * @param untrained function that returns the loss per token of a model without weights, if known; called at
   *   the end of each pass
   */
  constructor(untrained: () => number | undefined = () => undefined) {
    this.#untrained = untrained;
  }

  get passes(): readonly PassRecord[] {
    return this.#passes;
  }

  /** Receives the corpus, because sentence weights are factors of the loss. */
  settle(sentences: readonly EncodedSentence[]): void {
    let [tokens, weighted] = [0, 0];
    for (const { length, sentence } of sentences) {
      tokens += length;
      weighted += length * (sentence.weight ?? 1);
    }
    this.#weight = tokens === 0 ? 1 : weighted / tokens;
  }

  /**
   * Records a step that ends a pass; ignores others.
   *
   * @param of name of the part of the request that is being trained, if it is not all of it
   * @throws TagstreamError `numeric` if the training diverges: from the third pass on, the loss per token is NaN, is
   *   more than twice that of a model without weights (if known), or has more than doubled since the first pass and
   *   grown by 0.1
   */
  note(step: Pick<TrainingStep, 'passEnd' | 'meanLoss' | 'scores' | 'margin'>, of?: string): void {
    const { passEnd, meanLoss, scores, margin } = step;
    if (passEnd === undefined) return;
    const loss = Number(meanLoss.toPrecision(9));
    this.#passes.push({
      pass: passEnd,
      loss,
      ...(scores && { scores }),
      ...(margin && { margin: { ...margin, smallest: Number(margin.smallest.toPrecision(9)) } }),
    });
    const first = this.#passes[0]!.loss;
    if (this.#passes.length < fewestPasses) return;
    const known = this.#untrained();
    const untrained = known === undefined ? undefined : known * this.#weight;
    // A perceptron's loss is 0 if all weights are 0.
    const grown = untrained !== undefined && loss - first > Math.max(leastGrowth, Math.abs(first));
    const above = untrained !== undefined && loss > 2 * untrained;
    if (!grown && !above && !Number.isNaN(loss)) return;
    const other = above
      ? `a model with all weights 0 has ${shown(untrained)}`
      : `in the first pass it was ${shown(first)}`;
    throw new TagstreamError(
      'numeric',
      `the training${of === undefined ? '' : ` of ${of}`} diverges: in pass ${passEnd} the loss is ${shown(loss)} per token, ${other}`,
      { fix: smallerSteps },
    );
  }

  /**
   * Returns a message if no pass has lowered the loss; undefined otherwise, or if there was little to
   * lower.
   */
  get stagnation(): string | undefined {
    const [first, last] = [this.#passes[0]?.loss ?? 0, this.#passes.at(-1)?.loss ?? 0];
    if (this.#passes.length < fewestPasses || first < leastGrowth || last < first) return undefined;
    return `${this.#passes.length} passes have not lowered the loss: ${shown(first)} per token in the first, ${shown(last)} in the last; ${smallerSteps}`;
  }

  save(): State {
    return { json: { passes: [...this.#passes] }, arrays: {} };
  }

  /** @throws TagstreamError `checkpoint` if the state does not belong to a history */
  restore({ json }: State): void {
    const { data } = passesSchema.safeParse(json.passes);
    if (data === undefined) throw wrongState('the history is invalid');
    this.#passes = [...data];
  }
}
