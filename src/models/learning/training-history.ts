import * as z from 'zod/mini';
import { type State, type Stateful, wrongState } from '../../core/training/state.js';
import type { Scores, TrainingStep } from '../../core/training/training-step.js';

/** The report of training at the end of a pass. */
export interface PassRecord {
  readonly pass: number;
  /** Mean loss per token, to nine digits. */
  readonly loss: number;
  /** Scores of held-out data, where they were made after this pass. */
  readonly scores?: Scores;
}

const count = z.int().check(z.minimum(0));
const percent = z.number();

/** Passes as they are written down. */
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
        skipped: z.optional(count),
      }),
    ) as unknown as z.ZodMiniType<Scores>,
  }),
);

/**
 * What training reported pass by pass; kept with the model. Holds no time, so that the same training
 * gives the same history.
 *
 * @example
 * const history = new TrainingHistory();
 * history.note({ passEnd: 1, meanLoss: 0.25 });
 * history.passes // => [{ pass: 1, loss: 0.25 }]
 */
export class TrainingHistory implements Stateful {
  #passes: PassRecord[] = [];

  get passes(): readonly PassRecord[] {
    return this.#passes;
  }

  /** Takes note of a step that ends a pass; passes others over. */
  note({ passEnd, meanLoss, scores }: Pick<TrainingStep, 'passEnd' | 'meanLoss' | 'scores'>): void {
    if (passEnd === undefined) return;
    const loss = Number(meanLoss.toPrecision(9));
    this.#passes.push({ pass: passEnd, loss, ...(scores === undefined ? {} : { scores }) });
  }

  save(): State {
    return { json: { passes: [...this.#passes] }, arrays: {} };
  }

  /** @throws TagstreamError `checkpoint` if the state is none of a history */
  restore({ json }: State): void {
    const { data } = passesSchema.safeParse(json.passes);
    if (data === undefined) throw wrongState('the history is none');
    this.#passes = [...data];
  }
}
