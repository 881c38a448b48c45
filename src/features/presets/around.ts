/**
 * One line for each offset, `@` in the pattern standing for it.
 *
 * @example
 * around([-1, 0], '%x[@,0]') // => ['%x[-1,0]', '%x[0,0]']
 */
export function around(offsets: readonly number[], pattern: string): string[] {
  return offsets.map(offset => pattern.replace('@', String(offset)));
}
