import { STATUS_CODES } from 'node:http';
import { type ErrorCode, TagstreamError } from '../../engine/core/errors.js';

/** The default status of an error. Codes not listed are server errors: 500. */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  usage: 400,
  config: 400,
  'not-json': 400,
  'invalid-utf8': 400,
  'not-an-object': 422,
  'wrong-shape': 422,
  'length-mismatch': 422,
  'empty-sentence': 422,
  'unknown-column': 422,
  'not-a-number': 422,
  'unknown-label': 422,
  constraint: 422,
  numeric: 422,
  'too-long': 413,
  'too-large': 413,
  busy: 503,
  worker: 503,
  timeout: 504,
};

/** Statuses that a `Problem` can have, by its code or given explicitly. */
export const problemStatuses = [
  400, 401, 403, 404, 405, 406, 408, 413, 415, 422, 500, 503, 504,
] as const;

/** Facts in an error response in addition to the error itself. */
export interface ProblemFacts {
  /** HTTP status. Default: by the code of the error. */
  readonly status?: (typeof problemStatuses)[number] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Index of the faulty record, from 0, if a request has several. */
  readonly record?: number | undefined;
}

/** An error that is sent as the answer to a request. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly error: TagstreamError;
  readonly facts: ProblemFacts;

  constructor(error: TagstreamError, facts: ProblemFacts = {}) {
    super(error.message);
    this.error = error;
    this.facts = facts;
  }
}

/**
 * Returns the answer to a failed request: `application/problem+json` (RFC 9457) with the code of the error, and the fix.
 *
 * @example
 * const answer = problemResponse(new TagstreamError('busy', 'too many requests', { fix: 'try again' }));
 * answer.status // => 503
 * (await answer.json()).code // => 'busy'
 */
export function problemResponse(
  thrown: unknown,
  more: Readonly<Record<string, string>> = {},
): Response {
  const { error, facts } =
    thrown instanceof Problem
      ? thrown
      : { error: TagstreamError.from(thrown, 'stage'), facts: {} as ProblemFacts };
  const { code, fix } = error;
  const { status = statuses[code] ?? 500, record, headers } = facts;
  const { line, column } = error.place;
  // Clients do not need to know the server's file paths.
  const detail = status === 500 ? 'the server failed; its log says more' : error.problem;
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    code,
    detail,
    ...(fix === undefined || status === 500 ? {} : { fix }),
    ...(record === undefined ? {} : { record }),
    ...(line === undefined || status === 500 ? {} : { line }),
    ...(column === undefined || status === 500 ? {} : { column }),
  };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...more,
      ...headers,
    },
  });
}
