import { TagstreamError } from '../../core/errors.js';
import type { LogFields } from '../../core/log.js';

/**
 * What a machine may want to know of an error.
 *
 * @example
 * errorFields(new TagstreamError('file', 'no such file', { place: { source: 'a' } }))
 * // => ({ code: 'file', source: 'a' })
 */
export function errorFields(error: unknown): LogFields {
  return error instanceof TagstreamError ? { code: error.code, ...error.place } : {};
}
