import type { Kernel } from '../../src/kernels/kernel.js';
import { referenceKernel } from '../../src/kernels/reference/reference-kernel.js';

/** A kernel, and how far it may be from the oracle: |a - b| <= tolerance * max(1, |b|). */
export interface KernelRow {
  readonly name: string;
  readonly kernel: Kernel;
  readonly tolerance: number;
}

/** Every kernel that has to agree with the oracle; a new one is one more row. */
export const kernelRows: readonly KernelRow[] = [
  { name: 'reference', kernel: referenceKernel, tolerance: 1e-10 },
];
