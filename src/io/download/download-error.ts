import { TagstreamError } from '../../core/errors.js';

/** A transfer that broke and can be resumed, as against one that cannot succeed. */
export class BrokenTransfer extends Error {
  override readonly name = 'BrokenTransfer';
}

/** An error about an address. */
export function downloadError(
  url: string,
  problem: string,
  fix: string,
  cause?: unknown,
): TagstreamError {
  return new TagstreamError('file', `cannot fetch ${url}: ${problem}`, { fix, cause });
}

/** What the innermost cause of a failed transfer says. */
export function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  if (!(inner instanceof Error)) return String(inner);
  const code = 'code' in inner ? String(inner.code) : '';
  return inner.message !== '' ? inner.message : code;
}
