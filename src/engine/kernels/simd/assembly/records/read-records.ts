import { afterBlanks, afterNumber, afterValue, closingQuote } from './json';
import { noRoom, numberOf } from './texts';

// Reads plain NDJSON records: `{"tokens": [...], "columns": {...}}` with arrays of strings, `tags` and `gold` that are
// arrays of strings, a `text`, an `id`, and fields of other names. Anything else, valid or not, is left to the general
// reader. A reader is a table of words:
//
//   0 where to resume      4 end of the text        8 maximum bytes per line
//  12 table of texts        16 number of columns besides the tokens   20 (address, length) of each column's name
//  24 numbers of the texts: those of the tokens, followed by those of each column
//  28 maximum tokens        32 tokens so far         36 records: 10 words each, see `endRecord`
//  40 maximum records       44 records so far        48 lines so far        52 blank lines among them
//  56 whether `tags` or `gold` are read, as a column after the others; if so, a record without them has no tokens
//  60 1 if records are to be written whole, 2 if with spans: a record with results of an earlier run is then not plain,
//     nor, with spans, one with tokens that JSON usually writes differently
//  64 whether only records with a text and no tokens are read, which have no tokens yet
//  68 (address, length) of the text's name, then of the names of a path to it, or 0 if it is `text`; if set, only the
//     id and this text are read, and other fields have no meaning here
//  72 number of names in the path, or 0
//  76 (address, length) of the key below which results go, or 0: a record with this key is not plain, and fields next
//     to a text have no meaning here
//  80 (address, length) of the names of results in records to be written whole   84 number of these names

/** Reasons to stop reading: the end of the text, ... */
const atEnd: i32 = 0;
/** a line that is not plain, ... */
const notPlain: i32 = 1;
/** no room for tokens or records, or ... */
const full: i32 = 2;
/** no room for texts. */
const textsFull: i32 = 3;

/** Kinds of members, and those that may occur only once, as bits. */
const hasTokens: u32 = 1;
const hasColumns: u32 = 2;
const hasTags: u32 = 4;
const hasGold: u32 = 8;
const hasText: u32 = 16;
const hasId: u32 = 32;
/** The first name of a path to the text. */
const hasPath: u32 = 64;

const quote: u32 = 34;
const comma: u32 = 44;

/** Number of bytes stored per record. */
export const recordBytes: usize = 40;

/** Why reading ended. */
let ending: i32 = 0;

/** Continues reading. Returns why it ended; all results are in the reader's table. */
export function readRecords(reader: usize): i32 {
  const end = load<usize>(reader, 4);
  const most = load<u32>(reader, 40);
  for (let start = load<usize>(reader); start < end; start = load<usize>(reader)) {
    let at = afterBlanks(start);
    const c = <u32>load<u8>(at);
    if (c == 10) {
      if (at - start > load<usize>(reader, 8)) return notPlain;
      store<u32>(reader, load<u32>(reader, 52) + 1, 52);
    } else {
      if (c != 123) return notPlain;
      if (load<u32>(reader, 44) == most) return full;
      at = afterRecord(reader, start, at + 1);
      if (at == 0) return ending;
    }
    store<usize>(reader, at + 1);
    store<u32>(reader, load<u32>(reader, 48) + 1, 48);
  }
  return atEnd;
}

/** Reads one record after its opening brace; returns its line end. */
function afterRecord(reader: usize, start: usize, at: usize): usize {
  const readsTags = load<u32>(reader, 56) != 0;
  const isWhole = load<u32>(reader, 60) != 0;
  const hasSpans = load<u32>(reader, 60) == 2;
  const readsTexts = load<u32>(reader, 64) != 0;
  const fields = load<usize>(reader, 68);
  const isBelow = load<usize>(reader, 76) != 0;
  let tokensStart: usize = 0;
  let textEnd: usize = 0;
  let tagsName: usize = 0;
  let seen: u32 = 0;
  let found: u32 = 0;
  let idStart: usize = 0;
  let idEnd: usize = 0;
  let last: usize = 0;
  let columns: u32 = 0;
  ending = notPlain;
  while (true) {
    at = afterBlanks(at);
    if (load<u8>(at) != quote) return 0;
    const name = at + 1;
    at = closingQuote(name);
    if (at == 0) return 0;
    let kind = fields == 0 ? kindOf(name, at - name) : fieldOf(reader, fields, name, at - name);
    if (isBelow) kind = besideResults(reader, kind, name, at - name);
    if (kind == unreadable || (seen & kind) != 0) return 0;
    if (readsTags && kind == other && isWeight(name, at - name)) return 0;
    if (isWhole && !isBelow && kind == other && isResult(reader, name, at - name)) return 0;
    seen |= kind;
    at = afterColon(at + 1);
    if (at == 0) return 0;
    let count: u32 = 0;
    if (readsTexts && (kind & (hasTokens | hasTags | hasGold | hasColumns)) != 0) return 0;
    if (kind == hasTokens) {
      tokensStart = at;
      at = afterTexts(reader, 0, at);
      if (hasSpans && at != 0 && hasUnusualEscape(tokensStart, at)) return 0;
      count = texts;
    } else if (kind == hasTags || kind == hasGold) {
      mayBeBlank = false;
      // Which of the two applies is decided elsewhere.
      if ((readsTags || (isWhole && !isBelow)) && (seen & hasTags) != 0 && (seen & hasGold) != 0) {
        return 0;
      }
      if (kind == hasTags && !isBelow) tagsName = name - 1;
      if (readsTags) {
        at = afterTexts(reader, load<u32>(reader, 16) + 1, at);
      } else {
        at = afterStrings(at);
      }
      if (mayBeBlank) return 0;
      count = texts;
    } else if (kind == hasColumns) {
      at = afterColumns(reader, at);
      count = texts;
      columns = columnsFound;
    } else if (kind == hasText) {
      if (load<u8>(at) != quote) return 0;
      if (readsTexts) tokensStart = at + 1;
      at = afterValue(at);
      textEnd = at - 1;
    } else if (kind == hasPath && load<u8>(at) == 123) {
      pathText = 0;
      at = afterPath(reader, fields, at, 1);
      if (pathText != 0) {
        if ((seen & hasText) != 0) return 0;
        seen |= hasText;
        tokensStart = pathText;
        textEnd = pathEnd;
      }
    } else if (kind == hasId) {
      idStart = at;
      at = load<u8>(at) == quote ? afterValue(at) : afterNumber(at);
      idEnd = at;
    } else {
      at = afterValue(at);
    }
    if (at == 0) return 0;
    // All columns must have the same length.
    if (count != 0) {
      if (found != 0 && found != count) return 0;
      found = count;
    }
    last = at;
    at = afterBlanks(at);
    const c = <u32>load<u8>(at);
    if (c == 125) break;
    if (c != comma) return 0;
    at += 1;
  }
  at = afterBlanks(at + 1);
  if (load<u8>(at) != 10 || at - start > load<usize>(reader, 8)) return 0;
  if ((seen & (readsTexts ? hasText : hasTokens)) == 0 || columns != load<u32>(reader, 16)) return 0;
  if (readsTags && (seen & (hasTags | hasGold)) == 0) found = 0;
  const record = endRecord(reader, start, at, idStart, idEnd, found);
  store<usize>(record, tokensStart, 24);
  store<usize>(record, tagsName, 28);
  store<usize>(record, last, 32);
  store<usize>(record, textEnd, 36);
  return at;
}

/**
 * Stores a record: end of its tokens, id (address, bytes), line (address, bytes, index). The caller adds the addresses
 * of the token array (or the text, if texts are read), of the name `tags` (or 0), after the last value, and of the end
 * of the text. Returns the record's address.
 */
function endRecord(
  reader: usize,
  start: usize,
  end: usize,
  idStart: usize,
  idEnd: usize,
  tokens: u32,
): usize {
  const count = load<u32>(reader, 44);
  const record = load<usize>(reader, 36) + <usize>count * recordBytes;
  const all = load<u32>(reader, 32) + tokens;
  store<u32>(record, all);
  store<usize>(record, idStart, 4);
  store<usize>(record, idEnd - idStart, 8);
  store<usize>(record, start, 12);
  store<usize>(record, end - start, 16);
  store<u32>(record, load<u32>(reader, 48), 20);
  store<u32>(reader, all, 32);
  store<u32>(reader, count + 1, 44);
  return record;
}

/** An unknown name. */
const other: u32 = 0;
/** A name that may have a meaning but is not read here. */
const unreadable: u32 = 0xffffffff;

/** Returns the kind of a member by its name; a name with an escape may be any. */
function kindOf(name: usize, length: usize): u32 {
  const word = load<u64>(name) & (length < 8 ? ((<u64>1) << (length << 3)) - 1 : <u64>-1);
  if (length == 6 && word == 0x736e656b6f74) return hasTokens;
  if (length == 7 && word == 0x736e6d756c6f63) return hasColumns;
  if (length == 4 && word == 0x73676174) return hasTags;
  if (length == 4 && word == 0x646c6f67) return hasGold;
  if (length == 4 && word == 0x74786574) return hasText;
  if (length == 2 && word == 0x6469) return hasId;
  // offsets, sentence(s), constrai(nts)
  if (length == 7 && word == 0x7374657366666f) return unreadable;
  if (word == 0x65636e65746e6573 || word == 0x69617274736e6f63) return unreadable;
  return hasEscape(name, length) ? unreadable : other;
}

/** Returns the kind of a member if the text field has its own name. */
function fieldOf(reader: usize, fields: usize, name: usize, length: usize): u32 {
  if (isField(fields, name, length)) return hasText;
  if (load<u32>(reader, 72) != 0 && isField(fields + 8, name, length)) return hasPath;
  const kind = kindOf(name, length);
  if (kind == hasId || kind == other) return kind;
  if (load<usize>(reader, 76) != 0) return hasEscape(name, length) ? unreadable : other;
  return kind == hasText ? other : unreadable;
}

/**
 * Returns the kind if results go below a key: apart from the text, only the id and label constraints have a meaning.
 */
function besideResults(reader: usize, kind: u32, name: usize, length: usize): u32 {
  if (isField(load<usize>(reader, 76), name, length)) return unreadable;
  if (load<u32>(reader, 64) == 0) return kind;
  if (kind == hasTags || kind == hasGold || kind == hasColumns) return other;
  return kind;
}

/** Returns whether a name equals the one at (address, length). */
function isField(field: usize, name: usize, length: usize): bool {
  if (load<usize>(field, 4) != length) return false;
  const text = load<usize>(field);
  for (let i: usize = 0; i < length; i += 1) {
    if (load<u8>(text + i) != load<u8>(name + i)) return false;
  }
  return true;
}

/** The text at the end of the path, and its end; 0 if there is none. */
let pathText: usize = 0;
let pathEnd: usize = 0;

/** Reads an object on the path, after the names before `number`. */
function afterPath(reader: usize, fields: usize, at: usize, number: u32): usize {
  const field = fields + ((<usize>(number + 1)) << 3);
  const isLast = number + 1 == load<u32>(reader, 72);
  let isFound = false;
  at = afterBlanks(at + 1);
  if (load<u8>(at) == 125) return at + 1;
  while (true) {
    if (load<u8>(at) != quote) return 0;
    const name = at + 1;
    const close = closingQuote(name);
    if (close == 0 || hasEscape(name, close - name)) return 0;
    at = afterColon(close + 1);
    if (at == 0) return 0;
    if (isField(field, name, close - name)) {
      if (isFound) return 0;
      isFound = true;
      if (isLast) {
        if (load<u8>(at) != quote) return 0;
        pathText = at + 1;
        at = afterValue(at);
        pathEnd = at - 1;
      } else {
        at = load<u8>(at) == 123 ? afterPath(reader, fields, at, number + 1) : afterValue(at);
      }
    } else {
      at = afterValue(at);
    }
    if (at == 0) return 0;
    at = afterBlanks(at);
    const c = <u32>load<u8>(at);
    if (c == 125) return at + 1;
    if (c != comma) return 0;
    at = afterBlanks(at + 1);
  }
}

/** Returns whether a name is that of a sentence's weight, which is not read here. */
function isWeight(name: usize, length: usize): bool {
  return length == 6 && (load<u64>(name) & 0xffffffffffff) == 0x746867696577;
}

/** Returns whether a name is one of the results. */
function isResult(reader: usize, name: usize, length: usize): bool {
  const end = load<usize>(reader, 80) + (load<usize>(reader, 84) << 3);
  for (let field = load<usize>(reader, 80); field < end; field += 8) {
    if (isField(field, name, length)) return true;
  }
  return false;
}

/** Returns whether a text has an unusual escape: \u, or a backslash before a slash. */
function hasUnusualEscape(at: usize, end: usize): bool {
  while (at < end) {
    const bits = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(92)));
    if (bits == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz<i32>(bits);
    if (at >= end) return false;
    const c = <u32>load<u8>(at + 1);
    if (c == 117 || c == 47) return true;
    at += 2;
  }
  return false;
}

function hasEscape(text: usize, length: usize): bool {
  for (let i: usize = 0; i < length; i += 1) {
    if (load<u8>(text + i) == 92) return true;
  }
  return false;
}

/** Skips a colon and blanks around it. */
// @ts-expect-error: decorator
@inline
function afterColon(at: usize): usize {
  at = afterBlanks(at);
  return load<u8>(at) == 58 ? afterBlanks(at + 1) : 0;
}

/** Number of items in the array read last. */
let texts: u32 = 0;
/** Whether a text of the arrays read may be blank: it is empty, or begins with a blank or its escape. */
let mayBeBlank: bool = false;

/** Returns whether the hexadecimal digits of an escape are those of a character below U+0030. */
function isLow(at: usize): bool {
  return load<u8>(at) == 48 && load<u8>(at, 1) == 48 && load<u8>(at, 2) < 51;
}

// @ts-expect-error: decorator
@inline
function seeText(at: usize): void {
  const c = <u32>load<u8>(at);
  if (c <= 32 || c == quote) mayBeBlank = true;
  // \", \\ and \/ can be seen, and so can what \u does not escape below \u0030.
  const escaped = <u32>load<u8>(at, 1);
  if (c == 92 && escaped > 92 && (escaped != 117 || isLow(at + 2))) mayBeBlank = true;
}
/** Number of requested columns in the object read last. */
let columnsFound: u32 = 0;

/** Reads an array of strings as the numbers of their texts. */
function afterTexts(reader: usize, column: u32, at: usize): usize {
  const table = load<usize>(reader, 12);
  const capacity = load<u32>(reader, 28);
  const used = load<u32>(reader, 32);
  let out = load<usize>(reader, 24) + ((<usize>(column * capacity + used)) << 2);
  const last = out + ((<usize>(capacity - used)) << 2);
  const first = out;
  texts = 0;
  if (load<u8>(at) != 91) return 0;
  while (true) {
    at = afterBlanks(at + 1);
    if (load<u8>(at) != quote) return 0;
    at += 1;
    seeText(at);
    const close = closingQuote(at);
    if (close == 0) return 0;
    if (out == last) {
      ending = full;
      return 0;
    }
    const number = numberOf(table, column, at, close - at);
    if (number == noRoom) {
      ending = textsFull;
      return 0;
    }
    store<u32>(out, number);
    out += 4;
    at = afterBlanks(close + 1);
    const c = <u32>load<u8>(at);
    if (c == comma) continue;
    texts = <u32>((out - first) >> 2);
    return c == 93 ? at + 1 : 0;
  }
}

/** Skips a non-empty array of strings. */
function afterStrings(at: usize): usize {
  texts = 0;
  if (load<u8>(at) != 91) return 0;
  while (true) {
    at = afterBlanks(at + 1);
    if (load<u8>(at) != quote) return 0;
    seeText(at + 1);
    const close = closingQuote(at + 1);
    if (close == 0) return 0;
    texts += 1;
    at = afterBlanks(close + 1);
    const c = <u32>load<u8>(at);
    if (c != comma) return c == 93 ? at + 1 : 0;
  }
}

/** Reads an object of arrays of strings, all of the same length. */
function afterColumns(reader: usize, at: usize): usize {
  columnsFound = 0;
  texts = 0;
  if (load<u8>(at) != 123) return 0;
  at = afterBlanks(at + 1);
  if (load<u8>(at) == 125) return at + 1;
  let found: u32 = 0;
  let seen: u32 = 0;
  while (true) {
    if (load<u8>(at) != quote) return 0;
    const name = at + 1;
    const close = closingQuote(name);
    if (close == 0) return 0;
    const column = columnOf(reader, name, close - name);
    at = afterColon(close + 1);
    if (at == 0) return 0;
    if (column == 0) {
      // A name with an escape may be any column.
      at = hasEscape(name, close - name) ? 0 : afterStrings(at);
    } else {
      if ((seen & (1 << column)) != 0) return 0;
      seen |= 1 << column;
      columnsFound += 1;
      at = afterTexts(reader, column, at);
    }
    if (at == 0 || (found != 0 && found != texts)) return 0;
    found = texts;
    at = afterBlanks(at);
    const c = <u32>load<u8>(at);
    if (c == 125) return at + 1;
    if (c != comma) return 0;
    at = afterBlanks(at + 1);
  }
}

/** Returns the number of a column, from 1, or 0 if it is not used. */
function columnOf(reader: usize, name: usize, length: usize): u32 {
  const columns = load<u32>(reader, 16);
  const names = load<usize>(reader, 20);
  for (let column: u32 = 1; column <= columns; column += 1) {
    const known = names + ((<usize>(column - 1)) << 3);
    if (load<usize>(known, 4) != length) continue;
    const text = load<usize>(known);
    let i: usize = 0;
    while (i < length && load<u8>(text + i) == load<u8>(name + i)) i += 1;
    if (i == length) return column;
  }
  return 0;
}
