import { counted } from '../../../../engine/core/wording/numbers.js';
import { SchemeCounts } from '../../../../engine/text/tags/detect-scheme.js';
import { tagReader } from '../../../../engine/text/tags/tag-form.js';
import { type CellSeparator, splitRow } from '../../../../formats/codecs/conll/conll-layout.js';
import { isBlank } from '../../../../formats/codecs/read-line-records.js';
import { documentMark } from '../../../../formats/lines/line-bytes.js';
import {
  type ColumnLook,
  featureColumns,
  type Guess,
  type Hints,
  lookAtColumn,
  shownValues,
  tagRank,
} from './column-look.js';
import { notLabelled, shellWord } from './not-labelled.js';

/** Maximum number of rows examined per column: enough to see its kind. */
const lookedAt = 50_000;

/** Maximum number of columns: a line with more is a text, or a record with all of its tokens. */
const mostColumns = 1000;

/** Names of the column of words, and of a column that numbers sentences. */
const wordsName = /^(?:words?|tokens?|form|text)$/i;
const sentenceName = /^(?:sentence|sent)(?:[ _-]?(?:id|#|no|num|number|idx|index))?$/i;

/** Guesses the columns of a file with one token per line. */
export function guessColumns(all: readonly string[], source: string, hints: Hints): Guess {
  // Document marks are not rows, and are treated like blank lines.
  const lines = all.map(line => (line.startsWith(documentMark) ? '' : line));
  const filled = lines.filter(line => !isBlank(line));
  const separator = separatorOf(filled);
  const width = usualWidth(filled, separator);
  if (width > mostColumns) {
    throw notLabelled(`the rows have ${width} columns; at most ${mostColumns} are read`, source);
  }
  const isRow = (line: string) => splitRow(line, separator).length === width;
  const lastCell = (line: string) => splitRow(line, separator).at(-1)!;
  const header = headerOf(filled, separator, width);
  const comment = header === undefined ? commentStart(lines, isRow, lastCell) : filled[0]!;
  const isComment = (line: string) => comment !== undefined && line.startsWith(comment);
  const odd = lines.findIndex(line => !isBlank(line) && !isComment(line) && !isRow(line));
  requireColumns(lines, { odd, width, separator, source });
  const rows = filled.filter(line => !isComment(line)).slice(0, lookedAt);
  const cells = rows.map(line => splitRow(line, separator));
  const looks = Array.from({ length: width }, (_, i) => lookAtColumn(cells.map(row => row[i]!)));
  const isDivided = lines.slice(0, -1).some(line => isBlank(line));
  const numbers = isDivided ? -1 : sentenceColumn(cells, header);
  const names = hints.columns ?? namesOf(looks, source, hints, { header, numbers });
  const sentence = isDivided
    ? undefined
    : (names[numbers] ?? names.find(name => name === 'sentence'));
  const tagIndex = names.indexOf('tag');
  const form = looks[tagIndex]?.form;
  const read = form === undefined ? undefined : tagReader(form);
  const iob1 =
    tagIndex >= 0 &&
    isIob1(
      lines.map(line => {
        const tag = isRow(line) && !isComment(line) ? splitRow(line, separator)[tagIndex]! : '';
        return read === undefined || tag === '' ? tag : read(tag);
      }),
    );
  if (names.length !== width) {
    throw notLabelled(
      `the rows have ${width} columns, but you gave ${names.length} names`,
      source,
      {
        fix: `name each column: --columns ${looks.map((_, i) => (i === 0 ? 'form' : i === width - 1 ? 'tag' : '_')).join(',')}`,
      },
    );
  }
  const others = new Map(
    looks.flatMap((look, i) =>
      isOther(names[i]!) && names[i] !== sentence ? [[names[i]!, look] as const] : [],
    ),
  );
  const tag = looks[names.indexOf('tag')];
  return {
    format: 'conll',
    options: {
      columns: names,
      ...(separator === 'whitespace' ? {} : { separator }),
      ...(sentence === undefined || isOwn(sentence) ? {} : { sentence }),
      ...(comment === undefined ? {} : { comment }),
      ...form,
      ...(iob1 ? { iob1 } : {}),
    },
    columns: featureColumns(others),
    reasons: [
      `one token per line in ${width} columns, separated by ${separatorNames[separator]}`,
      ...looks.map(
        (look, i) =>
          `  column ${i + 1}, ${names[i] === sentence ? 'numbers the sentences' : shownName(names[i]!)}: ${shownValues(look, names[i] !== 'tag')}`,
      ),
      ...(iob1 ? ['  the tags are IOB1, read as BIO'] : []),
      ...(header === undefined ? [] : ['  the first line names the columns']),
      ...(comment === undefined || header !== undefined
        ? []
        : [`  lines that begin with ${comment.trim()} are ignored`]),
    ],
    warnings: warningsOf(isDivided || sentence !== undefined, tag),
  };
}

/** Returns whether tags, with an empty string between sentences, are consistently IOB1. */
function isIob1(tags: readonly string[]): boolean {
  const counts = new SchemeCounts();
  let first = 0;
  for (let i = 0; i <= tags.length; i += 1) {
    if (i < tags.length && tags[i] !== '') continue;
    counts.add(tags.slice(first, i));
    first = i + 1;
  }
  return counts.scheme === 'IOB1' && counts.broken('IOB1') === 0;
}

const separatorNames = {
  ...{ whitespace: 'blanks', tab: 'one tab' },
  ...{ comma: 'one comma', semicolon: 'one semicolon' },
} as const;

/**
 * Returns the separator: a character that gives all rows the same number of cells, else white space; a comma or
 * semicolon if white space does not work.
 */
function separatorOf(filled: readonly string[]): CellSeparator {
  const rows = filled.filter(line => !line.startsWith('#'));
  const separates = (separator: CellSeparator) => {
    const [width, ...others] = new Set(rows.map(line => splitRow(line, separator).length));
    return others.length === 0 && width !== undefined && width > 1;
  };
  const found = (['tab', 'whitespace', 'comma', 'semicolon'] as const).find(separates);
  if (found !== undefined) return found;
  return (usualWidth(filled, 'whitespace') === 1 ? delimiterOf(rows) : undefined) ?? 'whitespace';
}

/** Returns the most frequent number of cells per row. */
function usualWidth(filled: readonly string[], separator: CellSeparator): number {
  const counts = new Map<number, number>();
  for (const line of filled) {
    const { length } = splitRow(line, separator);
    counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]![0];
}

/** The fix if a line may be a comment but rows begin like it. */
const commentFix =
  'if lines that begin with # are comments: remove them, or give the source conll of a pipeline the option comment: "#", which leaves out rows that begin with it as well';

interface Found {
  readonly odd: number;
  readonly width: number;
  readonly separator: CellSeparator;
  readonly source: string;
}

function requireColumns(lines: readonly string[], { odd, width, separator, source }: Found): void {
  if (odd >= 0) {
    const cells = splitRow(lines[odd]!, separator).length;
    const several = `a row of ${counted(cells, 'column')}, where most have ${width}`;
    throw notLabelled(
      width === 1 ? 'most rows have one column, so there are no tags' : several,
      source,
      { line: odd + 1, ...(lines[odd]!.startsWith('#') ? { fix: commentFix } : {}) },
    );
  }
  if (width > 1) return;
  const tokens = `if they are tokens: tagstream convert ${shellWord(source)} --from 'conll:{columns: [form]}' --to ndjson --out tokens.ndjson; then label them: tagstream annotate tokens.ndjson --labels PER,LOC --out labelled.ndjson`;
  throw notLabelled('the rows have one column, so there are no tags', source, { fix: tokens });
}

function namesOf(
  looks: readonly ColumnLook[],
  source: string,
  hints: Hints,
  { header = [], numbers }: { header?: readonly string[] | undefined; numbers: number },
): string[] {
  const named = hints.tag === undefined ? -1 : header.indexOf(hints.tag);
  const asked = named >= 0 ? named : Number(hints.tag) - 1;
  const tag = hints.tag === undefined ? bestTag(looks, hints, numbers) : asked;
  if (looks[tag] === undefined) {
    const problem =
      hints.tag === undefined ? 'no column looks like tags' : `there is no column ${hints.tag}`;
    throw notLabelled(problem, source, { fix: 'name the columns: --columns form,pos,tag' });
  }
  const words = header.findIndex((name, i) => i !== tag && wordsName.test(name));
  const form = words >= 0 ? words : formColumn(looks, tag, numbers);
  const taken = new Set<string>();
  return looks.map((look, i) => {
    const own = nameOf(look, i);
    const passes = own === '_' || sentenceName.test(header[i] ?? '') || header[i] === '';
    const other = passes ? '_' : (header[i]?.toLowerCase() ?? own);
    const name = i === form ? 'form' : i === tag ? 'tag' : i === numbers ? 'sentence' : other;
    const free = taken.has(name) && name !== '_' ? `c${i + 1}` : name;
    taken.add(free);
    return free;
  });
}

/** Returns the index of the column that looks most like tags, the last of equal ones; -1 if none does. */
function bestTag(looks: readonly ColumnLook[], { task }: Hints, numbers: number): number {
  const words = formColumn(looks, -1, numbers);
  const ranks = looks.map((look, i) => (i === words || i === numbers ? 0 : tagRank(look, task)));
  const best = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  return best === 0 ? -1 : ranks.lastIndexOf(best);
}

/** Returns the first column with many values, else the first that contains neither numbers nor labels. */
function formColumn(looks: readonly ColumnLook[], tag: number, numbers: number): number {
  const find = (kinds: readonly string[]) =>
    looks.findIndex(({ kind }, i) => i !== tag && i !== numbers && kinds.includes(kind));
  const ways = [['open'], ['closed', 'constant'], ['upos', 'spans'], ['index', 'empty']];
  return ways.map(find).find(index => index >= 0) ?? 0;
}

function nameOf({ kind, phrases }: ColumnLook, index: number): string {
  if (kind === 'empty' || kind === 'index' || kind === 'constant') return '_';
  if (kind === 'upos') return 'upos';
  if (kind === 'closed') return 'pos';
  return phrases ? 'chunk' : `c${index + 1}`;
}

/**
 * Returns the column that numbers the sentences of a file without blank lines, by its name or its values: numbers, or
 * texts with a number, each in one run of rows, or only at the start of a sentence; -1 if there is none.
 */
function sentenceColumn(
  cells: readonly (readonly string[])[],
  header: readonly string[] | undefined,
): number {
  const columns = cells[0]!.map((_, i) => cells.map(row => row[i]!));
  const named = columns.findIndex(
    (values, i) =>
      sentenceName.test(header?.[i] ?? '') && values.some(value => /\S\s*$/.test(value)),
  );
  if (named >= 0 || header !== undefined) return named;
  return columns.findIndex(numbersRuns);
}

function numbersRuns(values: readonly string[]): boolean {
  const filled = values.filter(value => value.trim() !== '');
  const runs = filled.filter((value, i) => value !== filled[i - 1]);
  const isOnce = new Set(runs).size === runs.length && runs.length >= 2;
  const isNumber = runs.every(value => /^(?:sent(?:ence)?\W*)?\d+$/i.test(value));
  return isOnce && isNumber && 2 * runs.length <= values.length && values[0]!.trim() !== '';
}

function isOwn(name: string): boolean {
  return name === 'form' || name === 'tag' || name === '_';
}

function isOther(name: string): boolean {
  return name !== 'form' && name !== 'tag' && name !== '_';
}

function shownName(name: string): string {
  if (name === 'form') return 'used as the tokens';
  if (name === 'tag') return 'used as the tags';
  return name === '_' ? 'ignored' : name;
}

function warningsOf(isDivided: boolean, tag: ColumnLook | undefined): string[] {
  const warnings: string[] = [];
  if (tag?.kind === 'constant') {
    warnings.push(`all tags are ${tag.values[0]}: a model cannot learn from a single label`);
  }
  if (!isDivided) {
    warnings.push(
      'there is no blank line, so everything is one sentence; put one after each sentence',
    );
  }
  return warnings;
}

/**
 * Returns the separator of a file written by a spreadsheet, if it is neither tabs nor blanks: it occurs in nine of ten
 * lines, and in the first.
 *
 * @param lines lines without blank ones
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

/** Names that columns of labelled files usually have. */
const usual =
  /^(?:id|word|words|token|tokens|form|text|lemma|pos|upos|xpos|tag|tags|label|labels|ner|ner_tag|entity|chunk|sentence|sent|feats)$/i;

/**
 * Returns the names of the columns if the first line of a file has them, possibly after a `#`: two or more usual names,
 * and no empty one except the first, which pandas writes above row numbers.
 *
 * @example
 * headerOf(['Word\tPOS\tNER', 'Ann\tNNP\tB-PER'], 'tab', 3) // => ['Word', 'POS', 'NER']
 * headerOf(['# Word\tTag', 'Ann\tB-PER'], 'tab', 2) // => ['Word', 'Tag']
 * headerOf(['Ann\tNNP\tB-PER'], 'tab', 3) // => undefined
 */
export function headerOf(
  filled: readonly string[],
  separator: CellSeparator,
  width: number,
): readonly string[] | undefined {
  const cells = splitRow(filled[0]!.replace(/^#\s*/, ''), separator);
  const isHeader =
    cells.length === width &&
    cells.every((cell, i) => cell !== '' || i === 0) &&
    cells.filter(cell => usual.test(cell)).length >= 2;
  return isHeader ? cells : undefined;
}

/** Possible beginnings of comments in a file of columns. */
const candidates = ['# ', '#', ';;', '%'];

/**
 * Returns the beginning of a file's comment lines. Comments precede a sentence. `#` may also be a token, whose rows are
 * not comments and have as many cells as other rows.
 *
 * Comments that happen to have as many cells are recognized by their position at the head of a sentence, and by not
 * ending in a tag. If there are token rows too, comments are the lines whose first word occurs in no row at that
 * position.
 *
 * @param lines lines, including blank ones
 * @param isRow returns whether a line has as many cells as most
 * @param lastCell returns the last cell of a row
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

/** Returns the same if a line that begins with `#` has as many cells as a row. */
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
      // A row with missing or extra cells.
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

/** Returns the shortest sequence of two or more whole words with which all comments and no row begin. */
function distinctStart(comments: readonly string[], rows: readonly string[]): string | undefined {
  const first = comments[0] ?? '';
  for (let end = first.indexOf(' '); end >= 0; end = first.indexOf(' ', end + 1)) {
    const start = first.slice(0, end + 1);
    if (!comments.every(line => line.startsWith(start))) return undefined;
    if (!rows.some(line => line.startsWith(start))) return start;
  }
  return undefined;
}
