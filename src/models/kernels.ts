import type { Kernel } from '../kernels/kernel.js';
import { referenceKernel } from '../kernels/reference/reference-kernel.js';
import { simdKernels } from './default-kernel.js';

export { defaultKernel, defaultKernelOf } from './default-kernel.js';

/** The kernels by their names on the command line. */
export const kernels = {
  ...simdKernels,
  reference: referenceKernel,
} as const satisfies Readonly<Record<string, Kernel>>;

/** Names of the kernels. */
export type KernelName = keyof typeof kernels;
