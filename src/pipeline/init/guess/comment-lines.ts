/** What comments in a file of columns may begin with. */
const candidates = ['# ', '#', ';;', '%'];

/**
 * What the comment lines of a file begin with. A comment stands at the head of a sentence; `#` may be a
 * token as well, whose rows have as many cells as the others, and then its lines are not comments.
 *
 * @param lines with blank lines among them
 * @param isRow whether a line has as many cells as most
 * @example
 * const isRow = line => line.split(' ').length === 2;
 * commentStart(['# text = a b', 'a X', 'b Y', '', '# SYM', 'a X'], isRow) // => undefined
 * commentStart(['# text = a b', 'a X', 'b Y', ''], isRow) // => '# '
 */
export function commentStart(
  lines: readonly string[],
  isRow: (line: string) => boolean,
): string | undefined {
  return candidates.find(start => {
    const found = lines.filter(line => line.startsWith(start));
    return found.length > 0 && found.every(line => !isRow(line));
  });
}
