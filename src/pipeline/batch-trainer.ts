import type { TrainerComponent } from '../trainers/trainer-component.js';
import { trainers } from './catalogue/trainers.js';
import type { Pipeline } from './pipeline.js';

/** The batch optimizer that a pipeline trains with; undefined for online ones. */
export function batchTrainer({
  stages,
}: Pick<Pipeline, 'stages'>): TrainerComponent<never> | undefined {
  const optimize = stages.find(({ component }) => component.name === 'optimize');
  const [chosen] = Object.keys(optimize?.options ?? {});
  return trainers.find(({ name }) => name === chosen);
}
