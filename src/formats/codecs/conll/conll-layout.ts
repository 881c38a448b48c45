import { documentMark } from '../../lines/line-bytes.js';
import type { TagCells } from '../tag-cells.js';

/** The row format of `conllOptions`. */
export interface ConllFormat extends TagCells {
  readonly columns: readonly string[];
  readonly separator: CellSeparator;
  readonly tagOptional: boolean;
  readonly sentence?: string | undefined;
  readonly comment?: string | undefined;
}

/** The default layout of rows. */
export const conllDefaults = {
  columns: ['form', 'pos', 'tag'],
  separator: 'whitespace',
  tagOptional: false,
} as const satisfies ConllFormat;

/** The columns of a CoNLL file by index. */
export interface ConllLayout {
  readonly columns: readonly string[];
  readonly formIndex: number;
  /** Index of the gold tag; -1 if there is none. */
  readonly tagIndex: number;
  /** Index of the column that numbers the sentences; -1 if there is none. */
  readonly sentenceIndex: number;
  /** All columns other than form, tag, sentence number and ignored ones. */
  readonly otherIndexes: readonly number[];
  readonly separator: CellSeparator;
  /** Minimum number of columns in a row. */
  readonly leastCells: number;
  readonly comment: string | undefined;
  /**
   * Returns a function that is called with each line of a stream, and returns whether a sentence begins with it. Absent
   * if only blank lines separate sentences.
   */
  readonly sentenceStarts?: () => (line: string) => boolean;
  /** Whether a line is not a row, but a comment or the start of a document. */
  isComment(line: string): boolean;
  readonly tagCells: TagCells;
  /** Returns the cells of a row; equal strings are shared. */
  cells(row: string): readonly string[];
}

/** Returns the layout that valid options describe. */
export function conllLayout(options: ConllFormat): ConllLayout {
  const { columns, separator, comment, tagOptional } = options;
  const sentenceIndex = options.sentence === undefined ? -1 : columns.indexOf(options.sentence);
  const formIndex = Math.max(0, columns.indexOf('form'));
  const tagIndex = columns.indexOf('tag') === formIndex ? -1 : columns.indexOf('tag');
  const isOther = (index: number) =>
    ![formIndex, tagIndex, sentenceIndex].includes(index) && columns[index] !== '_';
  const otherIndexes = columns.map((_, index) => index).filter(isOther);
  const optional = tagOptional && tagIndex === columns.length - 1;
  const leastCells = columns.length - (optional ? 1 : 0);
  const places = { formIndex, tagIndex, sentenceIndex, otherIndexes, leastCells };
  const header = optional ? headerWithoutTag(options) : undefined;
  const isComment = (line: string) =>
    line.startsWith(documentMark) ||
    (comment !== undefined && (line.startsWith(comment) || line === header));
  const known = new RepeatedCells(separator);
  const cells = (row: string) => known.of(row);
  const sentenceStarts = () => {
    let last: string | undefined;
    let hasRow = false;
    let isInQuotes = false;
    return (line: string) => {
      // The remainder of a cell with a line end is not a row; the error of its record reports it.
      const isRest = isInQuotes;
      isInQuotes = !isRest && hasQuotes(separator) && endsInQuotes(line, betweenCells(separator));
      if (isRest) return false;
      // Comments before the first row belong to its sentence.
      const before = hasRow;
      if (isComment(line)) {
        const isMark = line.startsWith(documentMark);
        if (isMark) hasRow = false;
        return isMark && before;
      }
      hasRow = true;
      const number = sentenceNumber(splitRow(line, separator)[sentenceIndex]);
      if (number === undefined || number === last) return false;
      last = number;
      return before;
    };
  };
  return {
    ...{ columns, ...places, separator, comment, isComment, tagCells: options, cells },
    ...(sentenceIndex < 0 ? {} : { sentenceStarts }),
  };
}

/** Returns the sentence number in a cell; undefined if the cell is empty. */
export function sentenceNumber(cell: string | undefined): string | undefined {
  const number = cell?.trim();
  return number === '' || number === '_' ? undefined : number;
}

/** Returns the comment without its tag column, if it is a header that names all columns, as `init` writes it. */
function headerWithoutTag({ comment, columns, separator }: ConllFormat): string | undefined {
  if (comment === undefined || splitRow(comment, separator).length !== columns.length)
    return undefined;
  return comment.slice(0, comment.lastIndexOf(betweenCells(separator)));
}

/**
 * Splits a row into cells. Surrounding blanks and tabs are ignored; other white space may be a token.
 *
 * @example
 * splitRow(' a  b\tc ', 'whitespace') // => ['a', 'b', 'c']
 * splitRow('a b\t\tc', 'tab') // => ['a b', '', 'c']
 * splitRow('"a,b",c', 'comma') // => ['a,b', 'c']
 */
export function splitRow(row: string, separator: ConllLayout['separator']): string[] {
  if (separator === 'tab') return row.split('\t');
  if (hasQuotes(separator)) return splitDelimited(row, betweenCells(separator));
  const cells: string[] = [];
  let start = -1;
  for (let i = 0; i < row.length; i += 1) {
    const unit = row.charCodeAt(i);
    if (unit === 32 || unit === 9) {
      if (start >= 0) cells.push(row.slice(start, i));
      start = -1;
    } else if (start < 0) {
      start = i;
    }
  }
  if (start >= 0) cells.push(row.slice(start));
  return cells;
}

/** Limits of the caches: longest text, longest row, and number of entries. */
const [longestText, longestRow, most] = [12, 64, 2 ** 15];

/**
 * Splits rows into cells with shared strings for equal short texts: parts of speech, tags, frequent words and whole
 * rows repeat, and a corpus keeps all of them in memory. The cache is bounded.
 *
 * @example
 * new RepeatedCells('tab').of('dog\tNN') // => ['dog', 'NN']
 */
export class RepeatedCells {
  readonly #separator: CellSeparator;
  readonly #rows = new Map<string, readonly string[]>();
  readonly #texts = new Map<string, string>();

  constructor(separator: CellSeparator) {
    this.#separator = separator;
  }

  /** Returns the cells of a row. Cost: a lookup if it is cached. */
  of(row: string): readonly string[] {
    const known = this.#rows.get(row);
    if (known !== undefined) return known;
    const cells = splitRow(row, this.#separator).map(cell => this.#text(cell));
    if (row.length <= longestRow && this.#rows.size < most) this.#rows.set(row, cells);
    return cells;
  }

  #text(text: string): string {
    if (text.length > longestText) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size < most) this.#texts.set(text, text);
    return text;
  }
}

/** Separator of a row's columns: any run of blanks and tabs, or one character. */
export type CellSeparator = 'whitespace' | 'tab' | 'comma' | 'semicolon';

const characters = { whitespace: ' ', tab: '\t', comma: ',', semicolon: ';' } as const;

/** Returns the separator written between two cells. */
export function betweenCells(separator: CellSeparator): string {
  return characters[separator];
}

/** Whether cells may be quoted, as in CSV (RFC 4180). */
export function hasQuotes(separator: CellSeparator): boolean {
  return separator === 'comma' || separator === 'semicolon';
}

/**
 * Splits a row of CSV: a cell that begins with a quotation mark ends at the next single mark, and a doubled mark is
 * literal. Text between the closing mark and the delimiter belongs to the cell, as in Python. Cost O(characters).
 *
 * @example
 * splitDelimited('"New, York",B-LOC', ',') // => ['New, York', 'B-LOC']
 * splitDelimited('"""",``', ',') // => ['"', '``']
 */
export function splitDelimited(row: string, delimiter: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let cell = '';
    if (row[at] === '"') {
      at += 1;
      for (; at < row.length; at += 1) {
        if (row[at] === '"' && row[++at] !== '"') break;
        cell += row[at] ?? '';
      }
    }
    const end = row.indexOf(delimiter, at);
    cells.push(cell + row.slice(at, end < 0 ? row.length : end));
    if (end < 0) return cells;
    at = end + 1;
  }
}

/**
 * Whether a row ends within quotation marks, so that its last cell continues on the next line.
 *
 * @example
 * ['"a', '"a"', '5" pipe,O', '"""'].map(row => endsInQuotes(row, ',')) // => [true, false, false, true]
 */
export function endsInQuotes(row: string, delimiter: string): boolean {
  if (!row.includes('"')) return false;
  for (let at = 0; ; at += 1) {
    if (row[at] === '"') {
      at += 1;
      for (;;) {
        const end = row.indexOf('"', at);
        if (end < 0) return true;
        at = end + 1;
        if (row[at] !== '"') break;
        at += 1;
      }
    }
    at = row.indexOf(delimiter, at);
    if (at < 0) return false;
  }
}

/** Quotes a value for `splitDelimited`, if necessary. */
export function quotedCell(value: string, delimiter: string): string {
  const isPlain = !value.includes('"') && !value.includes(delimiter);
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}
