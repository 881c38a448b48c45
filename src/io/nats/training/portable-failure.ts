import { type ErrorCode, TagstreamError } from '../../../core/errors.js';

/** An error as plain data. */
export interface Failure {
  readonly code: ErrorCode;
  readonly problem: string;
  readonly fix?: string | undefined;
}

/** An error as another machine can read it. */
export function portable({ code, problem, fix }: TagstreamError): Failure {
  return { code, problem, fix };
}

/** The error that another machine has met. */
export function failureOf({ code, problem, fix }: Failure): TagstreamError {
  return new TagstreamError(code, problem, fix === undefined ? {} : { fix });
}
