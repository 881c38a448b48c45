import type { BatchOptions } from '../../../engine/operators/batch.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage } from '../definition/stage-component.js';
import { batchOptions } from '../options/stage-options.js';
import type { Plan } from '../plan/plan.js';

export const batchStage = defineStage({
  name: 'batch',
  summary:
    'packs sentences into minibatches, by default of one sentence; required before contribute and tag',
  example: 'batch: { sentences: 8 }',
  takes: ['encoded sentence'],
  gives: 'minibatch',
  options: batchOptions,
});

/** Number of sentences in a round from which the wait at its end is negligible. */
const leastRound = 256;

/** Returns the minibatch limits of a plan. */
export function batchLimits(
  { batch, train }: Pick<Plan, 'batch' | 'train'>,
  { ledger }: Pick<RunContext, 'ledger'>,
): BatchOptions {
  const { sentences, tokens, milliseconds = 0 } = batch.options;
  return {
    ledger,
    // Hogwild makes a step for each sentence; its minibatches are rounds between which threads wait.
    ...(train?.options.mode === 'hogwild'
      ? { sentences: Math.max(leastRound, sentences ?? 1) }
      : sentences === undefined
        ? {}
        : { sentences }),
    ...(tokens === undefined ? {} : { tokens }),
    // If nothing is learned, no record waits for others.
    ...(train === undefined ? { milliseconds } : {}),
  };
}
