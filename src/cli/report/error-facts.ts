import { TagstreamError } from '../../engine/core/errors.js';
import type { LogFields } from '../../engine/core/log.js';

/**
 * Returns the machine-readable fields of an error.
 *
 * @example
 * errorFields(new TagstreamError('file', 'no such file', { place: { source: 'a' } }))
 * // => ({ code: 'file', source: 'a' })
 */
export function errorFields(error: unknown): LogFields {
  return error instanceof TagstreamError ? { code: error.code, ...error.place } : {};
}

/**
 * Returns the exit code for an error: 2 for wrong usage, 78 for an invalid configuration, 1 for all
 * others.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof TagstreamError) {
    if (error.code === 'usage') return 2;
    return error.code === 'config' || error.code === 'template' ? 78 : 1;
  }
  return error instanceof Error && 'usage' in error ? 2 : 1;
}
