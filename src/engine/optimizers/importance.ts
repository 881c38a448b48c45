import * as z from 'zod';
import type { SettingRefusal, TrainingSettings } from '../core/component.js';

const kinds = ['scaled', 'repeated'] as const;

/**
 * The option `importance`, for optimizers that can learn from a record of weight h as from h
 * records.
 */
export const importanceShape = z
  .enum(kinds)
  .describe(
    'how a record of weight h > 1 is learned; scaled: one step with h times the gradient; repeated: ceil(h) steps, each with an equal share of h, scored again after each step',
  );

/** Rejects repeated steps for threads that share a minibatch, because they score it only once. */
export function refuseRepeats(
  importance: (typeof kinds)[number] | undefined,
  { workers = 1 }: TrainingSettings,
): SettingRefusal | undefined {
  if (importance !== 'repeated' || workers === 1) return undefined;
  return {
    setting: { option: 'importance' },
    problem: 'importance: repeated cannot be combined with workers, which score each record once',
    fix: 'use importance: scaled, or leave workers out',
  };
}
