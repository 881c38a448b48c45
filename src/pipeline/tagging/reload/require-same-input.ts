import { TagstreamError } from '../../../core/errors.js';
import type { ModelSpec } from '../../../models/model-spec.js';

/**
 * Makes sure that a model reads a format as the model before it does. Options of the format, as the
 * columns of CoNLL, are taken from a model that was trained on it, and cannot change in mid-stream.
 *
 * @param format name of the format that is being read
 * @param source name of the model's file, for errors
 * @throws TagstreamError `config` if the options are others
 */
export function requireSameInput(
  format: string,
  before: ModelSpec,
  now: ModelSpec,
  source: string,
): void {
  const [was, is] = [before, now].map(({ input }) =>
    JSON.stringify(input?.codec === format ? input.options : {}),
  );
  if (was === is) return;
  throw new TagstreamError('config', `the model reads ${format} as ${is}, the old one as ${was}`, {
    place: { source },
    fix: 'start a new tagging run with it',
  });
}
