import {
  type ErrorCode,
  type ErrorPlace,
  TagstreamError,
  thrownMessage,
} from '../../engine/core/errors.js';

/** A thrown value in a form that can be sent between threads. */
export type PortableError = PlainError | PortableTagstreamError;

interface PlainError {
  readonly kind: 'plain';
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

interface PortableTagstreamError {
  readonly kind: 'tagstream';
  readonly code: ErrorCode;
  readonly problem: string;
  readonly place: ErrorPlace;
  readonly fix: string | undefined;
  readonly cause: PlainError | undefined;
}

/**
 * Converts an error to plain data, as messages between threads do not preserve classes. Causes, and
 * errors other than Tagstream's, keep their name, message and stack.
 *
 * @example
 * const error = new TagstreamError('not-json', 'no brace', { place: { line: 3 }, fix: 'add one' });
 * const received = receivedError(structuredClone(portableError(error)));
 * [received instanceof TagstreamError, received.message] // => [true, '3: no brace (add one)']
 */
export function portableError(thrown: unknown): PortableError {
  if (!(thrown instanceof TagstreamError)) return plain(thrown);
  const { code, problem, place, fix } = thrown;
  const cause = thrown.cause === undefined ? undefined : plain(thrown.cause);
  return { kind: 'tagstream', code, problem, place, fix, cause };
}

/** Returns the error that was converted. */
export function receivedError(portable: PortableError): Error {
  if (portable.kind === 'plain') {
    const { name, message, stack } = portable;
    return Object.assign(new Error(message), { name, stack });
  }
  const { code, problem, place, fix, cause } = portable;
  return new TagstreamError(code, problem, {
    place,
    ...(fix === undefined ? {} : { fix }),
    ...(cause === undefined ? {} : { cause: receivedError(cause) }),
  });
}

function plain(thrown: unknown): PlainError {
  if (!(thrown instanceof Error)) {
    return { kind: 'plain', name: 'Error', message: thrownMessage(thrown), stack: undefined };
  }
  const { name, stack } = thrown;
  return { kind: 'plain', name, message: thrownMessage(thrown), stack };
}
