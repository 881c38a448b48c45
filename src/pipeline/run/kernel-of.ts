import type { Kernel } from '../../kernels/kernel.js';
import { defaultKernelOf, kernels } from '../../models/kernels.js';
import type { Plan, Training } from '../plan/plan.js';

/** The kernel of a plan: batch optimizers look for the last digits of the objective, which float32 does not have. */
export function kernelOf({
  plan: { optimizer, features },
}: {
  readonly plan: Pick<Plan | Training, 'optimizer' | 'features'>;
}): Kernel {
  if (optimizer?.kind === 'batch') return kernels.simd64;
  return defaultKernelOf(features.scorer);
}
