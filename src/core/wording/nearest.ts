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
