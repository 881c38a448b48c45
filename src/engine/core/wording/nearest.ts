import leven from 'leven';

/**
 * Returns the known name closest to a wrong one; undefined if none is close enough to have been meant.
 *
 * @example
 * nearest('optimise', ['batch', 'optimize', 'tag']) // => 'optimize'
 * nearest('queue', ['batch', 'optimize', 'tag']) // => undefined
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [first] = [...known].sort((a, b) => leven(a, name) - leven(b, name));
  if (first === undefined) return undefined;
  const isAlike = leven(first, name) <= Math.max(2, first.length / 3) || first.startsWith(name);
  return isAlike ? first : known.find(each => each.startsWith(name));
}

/**
 * Returns the fix for an unknown name: the name that was probably meant, and the list of known
 * names.
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
