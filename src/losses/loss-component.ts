import * as z from 'zod';
import type { Component } from '../core/component.js';
import type { Loss, LossContext } from './loss.js';

/** A loss as pipeline files name it: its options and its constructor. */
export type LossComponent<Options> = Component<Options, LossContext, Loss>;

/** A loss that has no options as a component. */
export function lossWithoutOptions(loss: Loss): LossComponent<Record<string, never>> {
  const { name, summary, example } = loss;
  const create = (_: object, context: LossContext) => loss.inTraining?.(context) ?? loss;
  return { name, summary, example, options: z.strictObject({}), create };
}
