import { TagstreamError } from '../../core/errors.js';
import type { Gazetteer } from './resources.js';

/**
 * A list of names that was read from a file, which has one at least.
 *
 * @throws TagstreamError `wrong-shape` that names the file
 * @example
 * requireEntries({ text: 'Bath', fold: false }, 'towns.txt').text // => 'Bath'
 */
export function requireEntries(list: Gazetteer, source: string): Gazetteer {
  if (list.text !== '') return list;
  throw new TagstreamError('wrong-shape', 'the gazetteer has no entries', {
    place: { source },
    fix: 'write a name in each line, or leave the list out',
  });
}
