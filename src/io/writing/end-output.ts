import { errnoOf, fileError } from '../files/file-error.js';
import type { Output } from './open-output.js';

/**
 * Commits an output; on a failure it gives it up and throws that. A reader that went away (EPIPE) is
 * no failure: it has had all it wanted.
 *
 * @throws TagstreamError `file` for errors of the system, any other failure as it is
 */
export async function endOutput(output: Output, failure: unknown): Promise<void> {
  if (failure === undefined) return output.commit();
  await output.abort();
  const code = errnoOf(failure);
  if (code === 'EPIPE') return;
  throw code === undefined ? failure : fileError('write', output.name, failure);
}
