import * as z from 'zod';
import type { Component } from '../core/component.js';
import type { Loss } from './loss.js';

/** What a loss can know about the training that it is created for. */
export interface LossContext {
  /** The number of the label `O`, which says that there is nothing; -1 as long as it is not known. */
  outside(): number;
}

/** A loss as pipeline files name it: its options and its constructor. */
export type LossComponent<Options> = Component<Options, LossContext, Loss>;

/** A loss that has no options as a component. */
export function lossWithoutOptions(loss: Loss): LossComponent<Record<string, never>> {
  const { name, summary, example } = loss;
  return { name, summary, example, options: z.strictObject({}), create: () => loss };
}
