import { TagstreamError } from '../../engine/core/errors.js';
import { type ArgumentsOf, text } from './option-kinds.js';

/** The option of every command that computes. */
export const kernelOption = {
  kernel: {
    choices: ['simd', 'simd64', 'reference'],
    describe:
      'simd: float32 in WebAssembly, the default; simd64: float64; reference: TypeScript in float64, slow',
  },
} as const;

export type KernelArguments = ArgumentsOf<typeof kernelOption>;

/** Maximum number of worker threads; a larger number is probably a typo. */
const most = 256;

/** The option of commands that can work in several threads. */
export const workersOption = {
  workers: text('number of worker threads; 1: everything runs in the main thread', {
    default: '1',
    coerce: workerCount,
  }),
} as const;

/** @throws TagstreamError `usage` unless the text is a whole number from 1 to 256 */
export function workerCount(text: unknown): number {
  const count = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= 1 && count <= most) return count;
  throw new TagstreamError('usage', `--workers ${String(text)} is not a number of workers`, {
    fix: `give one whole number from 1 to ${most}, such as the number of cores`,
  });
}
