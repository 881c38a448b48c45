import * as z from 'zod';
import type { SettingRefusal, TrainingSettings } from '../../core/component.js';

/** The option value that requests an average over an exponential window. */
export interface AverageWindow {
  /** Window length, in sentences. */
  readonly window: number;
}

/** The average of the weights that is deployed: over all sentences, over a window, or none. */
export type AverageOption = boolean | AverageWindow;

export const windowOption = z
  .strictObject({
    window: z
      .number()
      .gt(1)
      .describe(
        'length of an exponential window in sentences: each sentence multiplies the share of earlier weights by 1 - 1/window',
      ),
  })
  .describe('deploy the average of the weights over a window, and tag streams with it');

/** The option `average` for optimizers that can also average over all sentences. */
export const averageOption = z.union([z.boolean(), windowOption]);

/** Returns the window of an option; undefined if it has none. */
export function windowOf(average: AverageOption): number | undefined {
  return typeof average === 'object' ? average.window : undefined;
}

/** Returns why a window average cannot be combined with a training run; undefined if it can. */
export function windowRefusal(
  average: AverageOption,
  { mode, cluster }: TrainingSettings,
): SettingRefusal | undefined {
  if (windowOf(average) === undefined) return undefined;
  const setting = { option: 'average' };
  if (mode === 'hogwild') {
    const problem = 'threads of the mode hogwild do not see the weights after each sentence';
    return { setting, problem, fix: 'use mode: deterministic, or leave the window out' };
  }
  if (cluster === undefined) return undefined;
  const problem = 'the weights of shards are mixed, and no shard sees a window of the whole stream';
  return { setting, problem, fix: 'leave the window out, or train on one machine' };
}
