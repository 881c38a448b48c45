import { TagstreamError } from '../core/errors.js';

/**
 * The error for a worker that died, with its cause.
 *
 * @example
 * workerDeath(2, new Error('out of order')).message // => 'worker 2 died: out of order'
 */
export function workerDeath(number: number, cause: unknown): TagstreamError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isMemory =
    cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return new TagstreamError('worker', `worker ${number} died: ${reason}`, {
    cause,
    ...(isMemory ? { fix: 'use fewer workers, or shorter records' } : {}),
  });
}
