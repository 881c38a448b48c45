import type { Kernel } from '../../kernels/kernel.js';
import { defaultKernelOf, kernels } from '../../models/kernels.js';
import type { Pipeline } from '../definition/pipeline.js';

/** The kernel of a pipeline: batch optimizers look for the last digits of the objective, which float32 does not have. */
export function kernelOf({ plan }: Pick<Pipeline, 'plan'>): Kernel {
  if (plan.optimizer?.kind === 'batch') return kernels.simd64;
  return defaultKernelOf(plan.features.scorer);
}
