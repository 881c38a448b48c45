import { type ErrorCode, TagstreamError } from '../core/errors.js';

/**
 * Wraps an error thrown by a part of a plug-in, so that it names the part. Errors of Tagstream are unchanged, including
 * those of another copy that the plug-in may have imported.
 *
 * @param what the component, for the error: `the loss focal of the plug-in margins`
 * @param code of errors that are not Tagstream's
 */
export function pluginFault(thrown: unknown, what: string, code: ErrorCode): TagstreamError {
  if (isOfTagstream(thrown)) {
    const { problem, place, fix } = thrown;
    const options = { place, ...(fix === undefined ? {} : { fix }), cause: thrown };
    return new TagstreamError(thrown.code, `${what}: ${problem}`, options);
  }
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return new TagstreamError(code, `${what} threw: ${said}`, {
    fix: 'correct the plug-in, or its options',
    cause: thrown,
  });
}

function isOfTagstream(thrown: unknown): thrown is TagstreamError {
  if (thrown instanceof TagstreamError) return true;
  const { name, code, problem } = (thrown ?? {}) as Partial<TagstreamError>;
  return name === 'TagstreamError' && typeof code === 'string' && typeof problem === 'string';
}

/** Runs code of a plug-in, and attributes its errors. */
export function guarded<Result>(what: string, code: ErrorCode, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw pluginFault(thrown, what, code);
  }
}
