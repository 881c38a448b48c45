import { TagstreamError } from '../../core/errors.js';

/** What may be given more than once. */
const lists: ReadonlySet<string> = new Set([
  'inputs',
  'models',
  'names',
  'pipelines',
  'lists',
  'raw-text',
  'rawText',
  'rejected',
  'set',
  'only',
  'use',
  'on-bad',
  'onBad',
]);

/**
 * Refuses an option that stands more than once on the command line, as only one of its values would count.
 *
 * @throws TagstreamError `usage`
 * @example
 * requireSingle({ _: ['tag'], html: 'a.html', inputs: ['a', 'b'] }) // => true
 */
export function requireSingle(given: Readonly<Record<string, unknown>>): true {
  for (const [name, value] of Object.entries(given)) {
    if (!Array.isArray(value) || lists.has(name) || name === '_' || name === '--') continue;
    throw new TagstreamError('usage', `--${name} is given ${value.length} times`, {
      fix: 'give it once',
    });
  }
  return true;
}
