import { TagstreamError } from '../../core/errors.js';

/** Exit code for an error: 2 for wrong usage, 78 for wrong configuration, 1 for all else. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof TagstreamError) {
    if (error.code === 'usage') return 2;
    return error.code === 'config' || error.code === 'template' ? 78 : 1;
  }
  return error instanceof Error && 'usage' in error ? 2 : 1;
}
