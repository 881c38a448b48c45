import type { Kernel } from '../kernels/kernel.js';
import { SimdKernel } from '../kernels/simd/simd-kernel.js';

/** The kernel that is used where none is asked for. */
export const defaultKernel: Kernel = new SimdKernel('float32');
