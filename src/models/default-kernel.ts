import type { ScorerName } from '../core/scorer.js';
import { scorerHas } from '../inference/scorers/scorers.js';
import type { Kernel } from '../kernels/kernel.js';
import { SimdKernel } from '../kernels/simd/simd-kernel.js';

/** The kernels in WebAssembly, by their names on the command line. */
export const simdKernels = {
  simd: new SimdKernel('float32'),
  simd64: new SimdKernel('float64'),
} as const;

/** The kernel that is used where none is asked for. */
export const defaultKernel: Kernel = simdKernels.simd;

/** The kernel that online optimizers train models of a scorer with by default: counts need all digits of float64. */
export function defaultKernelOf(scorer: ScorerName | undefined): Kernel {
  return scorerHas(scorer, 'tables') ? simdKernels.simd64 : defaultKernel;
}
