import { trainers } from './catalogue/trainers.js';
import type { Pipeline } from './pipeline.js';

/** The name of the batch optimizer that a pipeline trains with; undefined for online ones. */
export function batchTrainer({ stages }: Pick<Pipeline, 'stages'>): string | undefined {
  const optimize = stages.find(({ component }) => component.name === 'optimize');
  const [chosen] = Object.keys(optimize?.options ?? {});
  return trainers.find(({ name }) => name === chosen)?.name;
}
