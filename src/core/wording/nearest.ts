import leven from 'leven';

/**
 * The known name that is most like a wrong one; undefined where none is so like it that it may have been meant.
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
