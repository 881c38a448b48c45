import leven from 'leven';

/**
 * The known name that is most like a wrong one.
 *
 * @example
 * nearest('optimise', ['batch', 'optimize', 'tag']) // => 'optimize'
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  return [...known].sort((a, b) => leven(a, name) - leven(b, name))[0];
}
