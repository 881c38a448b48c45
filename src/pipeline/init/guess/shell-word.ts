/**
 * A name as a shell takes it for one word.
 *
 * @example
 * shellWord('a.txt') // => 'a.txt'
 * shellWord('my text.txt') // => "'my text.txt'"
 */
export function shellWord(name: string): string {
  return /^[\w./@%+:,-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
