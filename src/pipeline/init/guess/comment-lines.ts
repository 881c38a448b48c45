import { isBlank } from '../../../io/codecs/read-line-records.js';

/** What comments in a file of columns may begin with. */
const candidates = ['# ', '#', ';;', '%'];

/**
 * What the comment lines of a file begin with. A comment stands at the head of a sentence; `#` may be a
 * token as well, whose rows have as many cells as the others, and then its lines are not comments.
 *
 * Comments that have as many cells by chance are known by what they hold: at the head of a sentence, and no tag at their
 * end. Where there are rows of tokens too, comments are those that begin with a word that no row has there.
 *
 * @param lines with blank lines among them
 * @param isRow whether a line has as many cells as most
 * @param lastCell of a row
 * @example
 * const isRow = line => line.split(' ').length === 2;
 * const lastCell = line => line.split(' ').at(-1);
 * const begin = lines => commentStart(lines, isRow, lastCell);
 * begin(['# text = a b', 'a X', 'b Y', '']) // => '# '
 * begin(['# text = a b', 'a X', '# X', '']) // => '# text '
 * begin(['# text = a b', 'a X', 'b Y', '', '# SYM', 'a X']) // => undefined
 */
export function commentStart(
  lines: readonly string[],
  isRow: (line: string) => boolean,
  lastCell: (line: string) => string,
): string | undefined {
  const sure = candidates.find(start => {
    const found = lines.filter(line => line.startsWith(start));
    return found.length > 0 && found.every(line => !isRow(line));
  });
  if (sure !== undefined) return sure;
  return startAmongRows(lines, isRow, lastCell);
}

/** The same where some line that begins with `#` has as many cells as a row. */
function startAmongRows(
  lines: readonly string[],
  isRow: (line: string) => boolean,
  lastCell: (line: string) => string,
): string | undefined {
  const rows = lines.filter(line => !begins(line) && !isBlank(line));
  const tags = new Set(rows.map(lastCell));
  const comments: string[] = [];
  const alike: string[] = [];
  let tokens = 0;
  let isHead = true;
  for (const line of lines) {
    if (!begins(line)) {
      isHead = isBlank(line);
    } else if (isRow(line)) {
      alike.push(line);
      if (!isHead || tags.has(lastCell(line))) tokens += 1;
    } else {
      // A row that lacks cells, or has too many.
      if (!isHead) return undefined;
      comments.push(line);
    }
  }
  if (tokens > 0) return tokens === alike.length ? distinctStart(comments, alike) : undefined;
  if (comments.length <= alike.length) return undefined;
  return [...comments, ...alike].every(line => line.startsWith('# ')) ? '# ' : '#';
}

function begins(line: string): boolean {
  return line.startsWith('#');
}

/** The fewest whole words that all comments begin with and no row does, from the second word on. */
function distinctStart(comments: readonly string[], rows: readonly string[]): string | undefined {
  const first = comments[0] ?? '';
  for (let end = first.indexOf(' '); end >= 0; end = first.indexOf(' ', end + 1)) {
    const start = first.slice(0, end + 1);
    if (!comments.every(line => line.startsWith(start))) return undefined;
    if (!rows.some(line => line.startsWith(start))) return start;
  }
  return undefined;
}
