import { batchTrainer } from './batch-trainer.js';
import { trainers } from './catalogue/trainers.js';
import { chosenOf } from './one-of.js';
import type { Pipeline } from './pipeline.js';
import { alone } from './trainers/alone.js';

/** Whether a pipeline trains with a batch optimizer whose work several threads cannot share. */
export function worksAlone(pipeline: Pick<Pipeline, 'stages'>): boolean {
  if (batchTrainer(pipeline) === undefined) return false;
  const optimize = pipeline.stages.find(({ component }) => component.name === 'optimize')!;
  return alone(chosenOf(trainers, optimize.options));
}
