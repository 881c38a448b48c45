import type { Kernel } from '../kernels/kernel.js';
import { referenceKernel } from '../kernels/reference/reference-kernel.js';
import type { SimdKernel } from '../kernels/simd/simd-kernel.js';
import { simdKernels } from './default-kernel.js';

export { defaultKernel, defaultKernelOf } from './default-kernel.js';

/**
 * The kernels, by their names on the command line: `simd` computes in float32 and `simd64` in float64, both in WebAssembly;
 * `reference` computes in float64 in TypeScript and is slow.
 */
export const kernels: {
  readonly simd: SimdKernel;
  readonly simd64: SimdKernel;
  readonly reference: Kernel;
} = { ...simdKernels, reference: referenceKernel };

/** Name of a kernel. */
export type KernelName = keyof typeof kernels;
