/**
 * What separates the columns of a file that a spreadsheet has written, if it is neither tabs nor blanks: found in nine of
 * ten lines, and in the first.
 *
 * @param lines without blank ones
 * @example
 * delimiterOf(['word,tag', 'Ann,B-PER']) // => 'comma'
 * delimiterOf(['Ann\tB-PER']) // => undefined
 */
export function delimiterOf(lines: readonly string[]): 'comma' | 'semicolon' | undefined {
  if (lines.some(line => line.includes('\t'))) return undefined;
  const isIn = (character: string) =>
    lines[0]?.includes(character) === true &&
    lines.filter(line => line.includes(character)).length >= 0.9 * lines.length;
  if (isIn(',')) return 'comma';
  return isIn(';') ? 'semicolon' : undefined;
}
