import type { KernelName } from '../../models/kernels.js';

/** The option of every command that computes. */
export const kernelOption = {
  kernel: {
    choices: ['simd', 'simd64', 'reference'],
    describe:
      'simd: float32 in WebAssembly, the default; simd64: float64; reference: TypeScript in float64, slow',
  },
} as const;

export interface KernelArguments {
  readonly kernel?: KernelName | undefined;
}
