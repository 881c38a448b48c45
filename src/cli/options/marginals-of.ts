import { TagstreamError } from '../../core/errors.js';

const meanings = new Map<unknown, boolean | 'all'>([
  ['all', 'all'],
  ['chosen', true],
  ['true', true],
  ['false', false],
  [false, false],
]);

/**
 * What `--marginals` asks for by its value.
 *
 * @throws TagstreamError `usage` for a value that there is not
 */
export function marginalsOf(value: unknown): boolean | 'all' | undefined {
  if (value === undefined) return undefined;
  const meaning = meanings.get(value);
  if (meaning !== undefined) return meaning;
  throw new TagstreamError('usage', `--marginals is ${JSON.stringify(value)}`, {
    fix: 'write --marginals for the probabilities of the chosen tags, --marginals all for those of all tags',
  });
}
