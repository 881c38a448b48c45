import type { Kernel } from '../../../engine/kernels/kernel.js';
import { defaultKernelOf, kernels } from '../../../engine/models/kernels.js';
import type { Plan, Training } from '../plan/plan.js';

/** Returns the kernel of a plan: batch optimizers need a more precise objective than float32 gives. */
export function kernelOf({
  plan: { optimizer, features },
}: {
  readonly plan: Pick<Plan | Training, 'optimizer' | 'features'>;
}): Kernel {
  if (optimizer?.kind === 'batch') return kernels.simd64;
  return defaultKernelOf(features.scorer);
}
