import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { type Chosen, chosenOf } from '../options/one-of.js';
import type { Pipeline } from './pipeline.js';

/** The batch optimizer that a pipeline trains with, and its options; undefined for online ones. */
export function batchTrainer({
  stages,
  catalogue: { trainers },
}: Pick<Pipeline, 'stages' | 'catalogue'>): Chosen<TrainerComponent<never>> | undefined {
  const optimize = stages.find(({ component }) => component.name === 'optimize');
  if (optimize === undefined) return undefined;
  const isBatch = trainers.some(({ name }) => Object.hasOwn(optimize.options, name));
  return isBatch ? chosenOf(trainers, optimize.options) : undefined;
}
