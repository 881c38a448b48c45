import { noRoom, numberOf } from './texts';

// Reads labelled sentences in columns, one token per line, as far as they are plain: rows of the wanted number
// of cells without a carriage return, and blank lines between sentences. What is not plain, be it right or
// wrong, is left to whoever reads any sentence. Two line ends follow the text. A reader is a table of words:
//
//   0 where to resume      4 end of the text        8 most bytes of a sentence
//  12 table of texts        16 whether one tab stands between cells, or else blanks and tabs, however many
//  20 cells of a row, of which 24 has for each its column + 1, or 0 where it is skipped
//  28 column of the tags    32 numbers of the texts   36 numbers a column
//  40 first token of each sentence, and after the last the number of tokens
//  44 sentences so far, and 48 those without a tag, which are skipped

/** Why reading ends: at the end of the text, ... */
const atEnd: i32 = 0;
/** at a sentence that is not plain, or ... */
const notPlain: i32 = 1;
/** for want of room for texts. */
const textsFull: i32 = 2;

/** What was found where a row ended early. */
let ending: i32 = 0;
/** Cells of the row that was read last; 0 where it is blank. */
let cells: u32 = 0;
/** Whether a row of the sentence has had another tag than `_`. */
let isLabelled: bool = false;

/** Reads to the end, if it can. Returns why it ends. */
export function readRows(reader: usize): i32 {
  const end = load<usize>(reader, 4);
  const most = load<usize>(reader, 8);
  const wanted = load<u32>(reader, 20);
  const firsts = load<usize>(reader, 40);
  let token: u32 = 0;
  let sentences: u32 = 0;
  store<u32>(firsts, 0);
  for (let at = load<usize>(reader); ; ) {
    const start = afterBlankLines(at, end, most);
    if (start == 0) return notPlain;
    if (start >= end) break;
    const first = token;
    isLabelled = false;
    let next = start;
    let rowsEnd: usize;
    do {
      rowsEnd = next - 1;
      next = afterRow(reader, next, token) + 1;
      if (next == 1) return ending;
      if (cells != wanted && cells != 0) return notPlain;
      token += 1;
    } while (cells != 0);
    token -= 1;
    if (rowsEnd - start > most || next - rowsEnd > most) return notPlain;
    if (isLabelled) {
      sentences += 1;
      store<u32>(firsts + (<usize>sentences << 2), token);
    } else {
      token = first;
      store<u32>(reader, load<u32>(reader, 48) + 1, 48);
    }
    at = next;
  }
  store<u32>(reader, sentences, 44);
  return atEnd;
}

/** Where the first line begins that is not blank, or the end, or 0 at a blank line that is too long. */
function afterBlankLines(at: usize, end: usize, most: usize): usize {
  for (let i = at; i < end; i += 1) {
    const c = <u32>load<u8>(i);
    if (c == 10) {
      if (i - at > most) return 0;
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
  let isBlank = true;
  cells = 0;
  while (true) {
    let c = <u32>load<u8>(at);
    if (!byTab) {
      while (c == 32 || c == 9) {
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
      if (cells == most) return 0;
      const column = load<u32>(places + (<usize>cells << 2));
      if (column != 0 && !put(reader, column - 1, token, first, at - first)) return 0;
      cells += 1;
    }
    if (c == 10) break;
    at += 1;
  }
  if (isBlank) {
    cells = 0;
    isLabelled = wasLabelled;
  }
  return at;
}

/** Notes the text of a cell; false where there is no room for it. */
// @ts-expect-error: decorator
@inline
function put(reader: usize, column: u32, token: u32, at: usize, length: usize): bool {
  const number = numberOf(load<usize>(reader, 12), column, at, length);
  if (number == noRoom) {
    ending = textsFull;
    return false;
  }
  const place = column * load<u32>(reader, 36) + token;
  store<u32>(load<usize>(reader, 32) + (<usize>place << 2), number);
  if (column == load<u32>(reader, 28) && (length != 1 || load<u8>(at) != 95)) isLabelled = true;
  return true;
}
