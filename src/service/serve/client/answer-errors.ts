import { type ErrorCode, TagstreamError } from '../../../engine/core/errors.js';
import type { ProblemBody, TaggedRecord } from '../schemas.js';

/** Maximum number of characters of a foreign answer that an error shows. */
const mostShown = 200;

/**
 * Returns the error of an answer, with the service's code if it comes from the service.
 *
 * @param source the address, for the place of the error
 */
export async function errorOf(answer: Response, source: string): Promise<TagstreamError> {
  const text = await answer.text().catch(() => '');
  const problem = problemIn(answer, text);
  if (problem === undefined) {
    const shown = text.trim().slice(0, mostShown);
    return foreign(
      `the response has status ${answer.status}${shown === '' ? '' : `: ${shown}`}`,
      source,
    );
  }
  const { code, detail, fix, record, line, column } = problem;
  const place = {
    source: record === undefined ? source : `${source}, record ${record}`,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
  return new TagstreamError(code as ErrorCode, detail, {
    place,
    ...(fix === undefined ? {} : { fix }),
  });
}

/** Returns the error of an answer whose JSON is not that of the service: `null`, another type, another number of records. */
export function foreignAnswer(json: unknown, source: string): TagstreamError {
  const shown = JSON.stringify(json).slice(0, mostShown);
  return foreign(`the response does not answer the request: ${shown}`, source);
}

function foreign(problem: string, source: string): TagstreamError {
  return new TagstreamError('connection', problem, {
    place: { source },
    fix: 'check the address, and any proxy between the client and the service',
  });
}

function problemIn(answer: Response, text: string): ProblemBody | undefined {
  if (!/^application\/problem\+json\b/.test(answer.headers.get('content-type') ?? '')) {
    return undefined;
  }
  try {
    const problem = JSON.parse(text) as Partial<ProblemBody> | null;
    const isWhole = typeof problem?.code === 'string' && typeof problem.detail === 'string';
    return isWhole ? (problem as ProblemBody) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the error of a line with nothing else: that of a record without members, or of the stream. */
export function loneError(record: TaggedRecord): TagstreamError | undefined {
  const { nlp, ...more } = record;
  const { code, message } = nlp?.error ?? {};
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  if (Object.keys(more).length > 0) return undefined;
  return new TagstreamError(code as ErrorCode, message);
}

/**
 * Returns the milliseconds after which an answer asks for a retry (RFC 9110, 10.2.3); undefined if it does not ask for
 * one.
 *
 * @example
 * retryAfter(new Headers({ 'Retry-After': '2' })) // => 2000
 * retryAfter(new Headers()) // => undefined
 */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
