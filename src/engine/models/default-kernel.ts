import type { ScorerName } from '../core/scorer.js';
import { scorerHas } from '../inference/scorers/scorers.js';
import type { Kernel } from '../kernels/kernel.js';
import { SimdKernel } from '../kernels/simd/simd-kernel.js';

/** WebAssembly kernels, by their names on the command line. */
export const simdKernels = {
  simd: new SimdKernel('float32'),
  simd64: new SimdKernel('float64'),
} as const;

/** The default kernel. */
export const defaultKernel: Kernel = simdKernels.simd;

/**
 * Returns the default kernel for online optimizers with a scorer: counts need float64 precision.
 */
export function defaultKernelOf(scorer: ScorerName | undefined): Kernel {
  return scorerHas(scorer, 'tables') ? simdKernels.simd64 : defaultKernel;
}
