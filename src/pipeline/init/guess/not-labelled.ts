import { type ErrorPlace, TagstreamError } from '../../../core/errors.js';

/** That a file is none that a tagger can be trained on, and what such a file looks like. */
export function notLabelled(
  problem: string,
  source: string,
  more: Partial<ErrorPlace> & { fix?: string } = {},
) {
  const { fix, ...place } = more;
  return new TagstreamError('wrong-shape', problem, {
    place: { source, ...place },
    fix:
      fix ??
      'a labelled file has one token per line with its tag in a column, a blank line after each sentence; or lines as {"tokens": [...], "tags": [...]}; or CoNLL-U',
  });
}
