import { nearest } from '../wording/nearest.js';

/**
 * The fix for a name that there is not: the one that may have been meant, and all that there are.
 *
 * @example
 * suggestion('tga', ['batch', 'tag']) // => 'did you mean tag? known: batch, tag'
 * suggestion('queue', ['batch', 'tag']) // => 'known: batch, tag'
 */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const list = known.length === 0 ? 'there are none' : `known: ${known.join(', ')}`;
  return near === undefined ? list : `did you mean ${near}? ${list}`;
}
