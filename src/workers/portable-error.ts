import { type ErrorCode, type ErrorPlace, TagstreamError } from '../core/errors.js';

/** A thrown thing in a form that a message between threads can hold. */
export type PortableError =
  | {
      readonly kind: 'tagstream';
      readonly code: ErrorCode;
      readonly problem: string;
      readonly place: ErrorPlace;
      readonly fix: string | undefined;
      readonly cause: unknown;
    }
  | { readonly kind: 'foreign'; readonly error: unknown };

/**
 * Takes an error apart, as messages between threads keep no classes. A cause that is no error becomes
 * its text.
 *
 * @example
 * const error = new TagstreamError('not-json', 'no brace', { place: { line: 3 }, fix: 'add one' });
 * const received = receivedError(structuredClone(portableError(error)));
 * [received instanceof TagstreamError, received.message] // => [true, '3: no brace (add one)']
 */
export function portableError(thrown: unknown): PortableError {
  if (!(thrown instanceof TagstreamError)) return { kind: 'foreign', error: cloneable(thrown) };
  const { code, problem, place, fix, cause } = thrown;
  return { kind: 'tagstream', code, problem, place, fix, cause: cloneable(cause) };
}

/** The error that was taken apart. */
export function receivedError(portable: PortableError): unknown {
  if (portable.kind === 'foreign') return portable.error;
  const { code, problem, place, fix, cause } = portable;
  return new TagstreamError(code, problem, { place, ...(fix === undefined ? {} : { fix }), cause });
}

function cloneable(thrown: unknown): unknown {
  return thrown === undefined || thrown instanceof Error ? thrown : String(thrown);
}
