import { type ErrorCode, TagstreamError, thrownMessage } from '../core/errors.js';

/**
 * Wraps an error thrown by a plug-in's component, so that it names the component. Tagstream's errors are unchanged,
 * even from another copy that the plug-in may have imported.
 *
 * @param what the component, for the error: `the loss focal of the plug-in margins`
 * @param code for errors other than Tagstream's
 */
export function pluginFault(thrown: unknown, what: string, code: ErrorCode): TagstreamError {
  if (isOfTagstream(thrown)) {
    const { problem, place, fix } = thrown;
    const options = { place, ...(fix === undefined ? {} : { fix }), cause: thrown };
    return new TagstreamError(thrown.code, `${what}: ${problem}`, options);
  }
  const said = thrownMessage(thrown);
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

/** Runs a plug-in's code, and attributes errors to it. */
export function guarded<Result>(what: string, code: ErrorCode, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw pluginFault(thrown, what, code);
  }
}
