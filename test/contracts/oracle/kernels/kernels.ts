import type { Kernel } from '../../../../src/engine/kernels/kernel.js';
import { referenceKernel } from '../../../../src/engine/kernels/reference/reference-kernel.js';
import { SimdKernel } from '../../../../src/engine/kernels/simd/simd-kernel.js';

/** A kernel, and how far it may be from the oracle: |a - b| <= tolerance * max(1, |b|). */
export interface KernelRow {
  readonly name: string;
  readonly kernel: Kernel;
  readonly tolerance: number;
  /** The same for the rounding of a handful of operations on numbers of about 1. */
  readonly rounding: number;
}

/** Every kernel that has to agree with the oracle; a new one is one more row. */
export const kernelRows: readonly KernelRow[] = [
  { name: 'reference', kernel: referenceKernel, tolerance: 1e-10, rounding: 1e-12 },
  {
    name: 'simd float64',
    kernel: new SimdKernel('float64'),
    tolerance: 1e-10,
    rounding: 1e-12,
  },
  { name: 'simd float32', kernel: new SimdKernel('float32'), tolerance: 1e-4, rounding: 1e-5 },
];

/** Kernels with short ways for transitions that are few; the reference sums over all pairs of labels. */
export const kernelsWithLists = kernelRows.filter(({ kernel }) => kernel !== referenceKernel);
