import type { Kernel } from '../../kernels/kernel.js';
import { defaultKernelOf, kernels } from '../../models/kernels.js';
import { batchTrainer } from '../definition/batch-trainer.js';
import type { Pipeline } from '../definition/pipeline.js';
import { chosenScorer } from '../options/chosen-scorer.js';

/** The kernel of a pipeline: batch optimizers look for the last digits of the objective, which float32 does not have. */
export function kernelOf(pipeline: Pipeline): Kernel {
  if (batchTrainer(pipeline) !== undefined) return kernels.simd64;
  return defaultKernelOf(chosenScorer(pipeline.config));
}
