import { noRoom, numberOf } from './texts';

// Reads labelled sentences in columns, one token per line, if they are plain: rows of the expected number of cells
// without a carriage return, and blank lines between sentences. Anything else, valid or not, is left to the general
// reader, as are rows to keep if documents are marked. The text is followed by two line ends. A reader is a table of
// words:
//
//   0 where to resume      4 end of the text        8 maximum bytes per sentence
//  12 table of texts        16 whether cells are separated by one tab; otherwise by any blanks and tabs
//  20 cells per row         24 for each cell its column + 1, or 0 if it is skipped, or `filled` if it is skipped but
//     must not be blank, as the column of the tags and that of the tokens
//  28 column of the tags    32 numbers of the texts   36 numbers per column
//  40 first token of each sentence, and after the last the number of tokens
//  44 sentences so far      48 sentences without a tag, which are skipped
//  52 room for (address, end, whether there is a tab) of each row, or 0; if set, sentences without a tag are read too,
//     and if reading ends early, what was read is kept and reading resumes at the current sentence
//  56 cells of rows without the last cell, or 0: all rows of such a sentence lack it, with one blank between cells and
//     no empty cell
//  60 maximum tokens        64 maximum tokens per sentence        68 lines so far

/** Reasons to stop reading: the end of the text, ... */
const atEnd: i32 = 0;
/** a sentence that is not plain, or ... */
const notPlain: i32 = 1;
/** no room for texts, or ... */
const textsFull: i32 = 2;
/** no room for tokens. */
const full: i32 = 3;

/** Marks the cell of a tag that is not read. */
const filled: u32 = 0xffffffff;

/** Why the last row ended early. */
let ending: i32 = 0;
/** Number of cells in the row read last; 0 if it is blank. */
let cells: u32 = 0;
/**
 * Whether that row has a tab; and whether it has blanks other than one between two cells, or an
 * empty cell between tabs.
 */
let hasTab: bool = false;
let hasMoreBlanks: bool = false;
/** Whether that row may lack its token or its tag: the cell is empty, or a tag that begins with a blank. */
let lacksCell: bool = false;
/** Number of blank lines skipped. */
let blankLines: u32 = 0;
/** Whether a row of the sentence has a tag other than `_`. */
let isLabelled: bool = false;

/** Reads to the end if possible. Returns why it ended. */
export function readRows(reader: usize): i32 {
  const end = load<usize>(reader, 4);
  const most = load<usize>(reader, 8);
  const firsts = load<usize>(reader, 40);
  const keepsAll = load<usize>(reader, 52) != 0;
  let token: u32 = 0;
  let sentences: u32 = 0;
  store<u32>(firsts, 0);
  for (let at = load<usize>(reader); ; ) {
    const start = afterBlankLines(at, end, most);
    if (start == 0) return notPlain;
    store<u32>(reader, load<u32>(reader, 68) + blankLines, 68);
    store<usize>(reader, start);
    if (start >= end) break;
    isLabelled = false;
    const next = afterSentence(reader, start, token);
    if (next == 0) return ending;
    if (rows == 0) {
      // A lone document mark.
    } else if (isLabelled || keepsAll) {
      token += rows;
      sentences += 1;
      store<u32>(firsts + (<usize>sentences << 2), token);
      store<u32>(reader, sentences, 44);
    } else {
      store<u32>(reader, load<u32>(reader, 48) + 1, 48);
    }
    store<u32>(reader, load<u32>(reader, 68) + rows + 1, 68);
    store<usize>(reader, next);
    at = next;
  }
  store<u32>(reader, sentences, 44);
  return atEnd;
}

/** Number of rows in the sentence read last. */
let rows: u32 = 0;

/** Reads the sentence that begins at `start`, with its blank line; returns its end, or 0. */
function afterSentence(reader: usize, start: usize, first: u32): usize {
  const most = load<usize>(reader, 8);
  const wanted = load<u32>(reader, 20);
  const places = load<usize>(reader, 52);
  const fewer = load<u32>(reader, 56);
  let found: u32 = 0;
  let next = start;
  let rowsEnd: usize;
  rows = 0;
  while (true) {
    rowsEnd = next - 1;
    if (places != 0 && first + rows == load<u32>(reader, 60)) {
      ending = full;
      return 0;
    }
    const row = next;
    if (isMark(row)) {
      ending = notPlain;
      if (places != 0) return 0;
      next = afterLine(row);
      continue;
    }
    next = afterRow(reader, row, first + rows) + 1;
    if (next == 1) return 0;
    if (cells == 0) break;
    ending = notPlain;
    if (places == 0) {
      if (cells != wanted) return 0;
    } else {
      // Rows without a tag are treated like tagged rows if their format is the same.
      const isFewer = fewer != 0 && cells == fewer;
      if (cells != wanted && !isFewer) return 0;
      if ((found != 0 && cells != found) || (isFewer && hasMoreBlanks)) return 0;
      if (rows == load<u32>(reader, 64)) return 0;
      found = cells;
      const place = places + <usize>(first + rows) * 12;
      store<usize>(place, row);
      store<usize>(place, next - 1, 4);
      store<u32>(place, hasTab ? 1 : 0, 8);
    }
    rows += 1;
  }
  ending = notPlain;
  return rowsEnd - start > most || next - rowsEnd > most ? 0 : next;
}

/** Returns whether a line marks the beginning of a document: `-DOCSTART-`. */
function isMark(line: usize): bool {
  if (load<u8>(line) != 45 || load<u8>(line, 1) != 68 || load<u8>(line, 2) != 79) return false;
  if (load<u8>(line, 3) != 67 || load<u8>(line, 4) != 83 || load<u8>(line, 5) != 84) return false;
  if (load<u8>(line, 6) != 65 || load<u8>(line, 7) != 82 || load<u8>(line, 8) != 84) return false;
  return load<u8>(line, 9) == 45;
}

function afterLine(line: usize): usize {
  while (load<u8>(line) != 10) line += 1;
  return line + 1;
}

/**
 * Returns where the first non-blank line begins, or the end, or 0 at a blank line that is too long.
 */
function afterBlankLines(at: usize, end: usize, most: usize): usize {
  blankLines = 0;
  for (let i = at; i < end; i += 1) {
    const c = <u32>load<u8>(i);
    if (c == 10) {
      if (i - at > most) return 0;
      blankLines += 1;
      at = i + 1;
    } else if (c != 32 && c != 9 && c != 13) {
      return at;
    }
  }
  return end;
}

/** Reads the cells of a row as the numbers of their texts; returns its line end, or 0. */
function afterRow(reader: usize, at: usize, token: u32): usize {
  const byTab = load<u32>(reader, 16) != 0;
  const places = load<usize>(reader, 24);
  const most = load<u32>(reader, 20);
  const wasLabelled = isLabelled;
  const start = at;
  let isBlank = true;
  let cellBytes: usize = 0;
  let tabs = false;
  let isEmpty = false;
  let count: u32 = 0;
  lacksCell = false;
  while (true) {
    let c = <u32>load<u8>(at);
    if (!byTab) {
      while (c == 32 || c == 9) {
        tabs = tabs || c == 9;
        at += 1;
        c = load<u8>(at);
      }
    }
    const first = at;
    while (c > 32 || (c != 9 && c != 10 && c != 13 && (byTab || c != 32))) {
      isBlank = isBlank && c == 32;
      at += 1;
      c = load<u8>(at);
    }
    ending = notPlain;
    if (c == 13) return 0;
    if (byTab || at > first) {
      if (count == most) return 0;
      const column = load<u32>(places + (<usize>count << 2));
      if (column == filled) {
        if (isBlankLabel(first, at - first)) lacksCell = true;
      } else if (column != 0 && !put(reader, column - 1, token, first, at - first)) {
        return 0;
      }
      count += 1;
      cellBytes += at - first;
      isEmpty = isEmpty || at == first;
    }
    if (c == 10) break;
    tabs = tabs || c == 9;
    at += 1;
  }
  hasTab = tabs;
  hasMoreBlanks = byTab ? isEmpty : tabs || at - start - cellBytes != <usize>count - 1;
  cells = count;
  if (isBlank) {
    cells = 0;
    isLabelled = wasLabelled;
    return at;
  }
  return lacksCell ? 0 : at;
}

/** Stores the text of a cell; returns false if there is no room for it. */
// @ts-expect-error: decorator
@inline
function put(reader: usize, column: u32, token: u32, at: usize, length: usize): bool {
  const isTag = column == load<u32>(reader, 28);
  if (isTag ? isBlankLabel(at, length) : column == 0 && length == 0) lacksCell = true;
  const number = numberOf(load<usize>(reader, 12), column, at, length);
  if (number == noRoom) {
    ending = textsFull;
    return false;
  }
  const place = column * load<u32>(reader, 36) + token;
  store<u32>(load<usize>(reader, 32) + (<usize>place << 2), number);
  if (isTag && (length != 1 || load<u8>(at) != 95)) isLabelled = true;
  return true;
}

/** Returns whether a cell may be blank: it is empty, or begins with a blank. */
// @ts-expect-error: decorator
@inline
function isBlankLabel(at: usize, length: usize): bool {
  return length == 0 || load<u8>(at) <= 32;
}
