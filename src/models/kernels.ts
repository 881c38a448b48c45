import type { ScorerName } from '../core/scorer-name.js';
import type { Kernel } from '../kernels/kernel.js';
import { referenceKernel } from '../kernels/reference/reference-kernel.js';
import { SimdKernel } from '../kernels/simd/simd-kernel.js';

/** The kernels by their names on the command line. */
export const kernels = {
  simd: new SimdKernel('float32'),
  simd64: new SimdKernel('float64'),
  reference: referenceKernel,
} as const satisfies Readonly<Record<string, Kernel>>;

/** Names of the kernels. */
export type KernelName = keyof typeof kernels;

/** The kernel that is used where none is asked for. */
export const defaultKernel: Kernel = kernels.simd;

/** The kernel that online optimizers train models of a scorer with by default: counts need all digits of float64. */
export function defaultKernelOf(scorer: ScorerName | undefined): Kernel {
  return scorer === 'hmm' ? kernels.simd64 : defaultKernel;
}
