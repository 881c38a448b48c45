import { noRoom, numberOf } from '../records/texts';
import { sentenceEnds } from './sentence-ends';

// Splits the texts of records, as encoded between the quotes of JSON strings, into words at ASCII white space, and
// finds possible sentence ends. A word's tokens are looked up by its number. A work order is a table of words:
//
//   0 table of words, as in `numberOf`   4 records, as stored by `readRecords`   8 number of records
//  12 room for the words: (number, address, UTF-16 units of the text before it, line breaks before it, plus `last` if
//     the text ends with it) each   16 end of the room
//  20 room for the addresses of sentence ends, one for every two bytes
//  24 character classes, see `sentence-ends.ts`; 0 if ends are not needed
//  28 room for (end of its words, end of its sentences) of each record
//  32 maximum bytes per word   36 whether words must be ASCII   40 number of words after which no record is begun
//  44 why splitting ended, which is written

/** Reasons to stop: all records are split, or there is no room for more, ... */
const full: u32 = 0;
/** the next record must be split in another way, or ... */
const notPossible: u32 = 1;
/** no room for a new word. */
const wordsFull: u32 = 2;

/** Added to the number of line breaks before a word if the text ends with the word. */
export const last: u32 = 0x80000000;

export const wordBytes: usize = 16;
const recordBytes: usize = 40;
const backslash: u32 = 92;

let ending: u32 = full;

/** Splits records; returns their number. */
export function divideTexts(order: usize): u32 {
  let record = load<usize>(order, 4);
  const count = load<u32>(order, 8);
  const few = load<usize>(order, 12) + <usize>load<u32>(order, 40) * wordBytes;
  const classes = load<usize>(order, 24);
  let word = load<usize>(order, 12);
  let sentence = load<usize>(order, 20);
  let noted = load<usize>(order, 28);
  ending = full;
  let done: u32 = 0;
  for (; done < count && word < few; done += 1) {
    const start = load<usize>(record, 24);
    const end = load<usize>(record, 36);
    word = afterWords(order, start, end, word);
    if (word == 0) break;
    if (classes != 0) {
      sentence = sentenceEnds(classes, start, end, sentence);
      if (sentence == 0) {
        ending = notPossible;
        break;
      }
    }
    store<usize>(noted, word);
    store<usize>(noted, sentence, 4);
    noted += 8;
    record += recordBytes;
  }
  store<u32>(order, ending, 44);
  return done;
}

/** Stores the words of a text; returns where the next ones go, or 0. */
function afterWords(order: usize, start: usize, end: usize, out: usize): usize {
  const table = load<usize>(order);
  const roomEnd = load<usize>(order, 16);
  const longest = load<usize>(order, 32);
  const isAscii = load<u32>(order, 36) != 0;
  let at = start;
  let unit: u32 = 0;
  let breaks: u32 = 0;
  while (true) {
    let wasReturn = false;
    while (true) {
      const c = <u32>load<u8>(at);
      if (c == 32) {
        at += 1;
        wasReturn = false;
      } else if (c == backslash && isWhite(load<u8>(at + 1))) {
        const letter = load<u8>(at + 1);
        // A carriage return followed by a line feed is one break.
        breaks += u32(letter == 114 || (letter == 110 && !wasReturn));
        wasReturn = letter == 114;
        at += 2;
      } else break;
      unit += 1;
    }
    if (at >= end) return out;
    const from = at;
    const before = unit;
    while (true) {
      const v = v128.load(at);
      // Signed: non-ASCII bytes are below 0.
      const stops = v128.or(
        v128.or(i8x16.lt_s(v, i8x16.splat(33)), i8x16.eq(v, i8x16.splat(92))),
        i8x16.eq(v, i8x16.splat(34)),
      );
      const bits = i8x16.bitmask(stops);
      if (bits == 0) {
        at += 16;
        unit += 16;
        continue;
      }
      const skipped = ctz<i32>(bits);
      at += <usize>skipped;
      unit += skipped;
      const c = <u32>load<u8>(at);
      if (c == 32 || at >= end) break;
      if (c == backslash) {
        const letter = load<u8>(at + 1);
        if (isWhite(letter)) break;
        // Escapes `\u` are not decoded here, and `\/` is unusual in JSON.
        if (letter == 117 || letter == 47) return fail(notPossible);
        at += 2;
      } else {
        if (isAscii || c < 0x80) return fail(notPossible);
        at += c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        unit += u32(c >= 0xf0);
      }
      unit += 1;
    }
    const length = at - from;
    if (length > longest) return fail(notPossible);
    if (out == roomEnd) return fail(full);
    const number = numberOf(table, 0, from, length);
    if (number == noRoom) return fail(wordsFull);
    store<u32>(out, number);
    store<usize>(out, from, 4);
    store<u32>(out, before, 8);
    store<u32>(out, breaks | (at >= end ? last : 0), 12);
    out += wordBytes;
    breaks = 0;
  }
}

function fail(why: u32): usize {
  ending = why;
  return 0;
}

/** Returns whether a letter is that of a JSON escape for white space: `\f`, `\n`, `\r`, `\t`. */
// @ts-expect-error: decorator
@inline
function isWhite(letter: u8): bool {
  return letter == 110 || letter == 114 || letter == 116 || letter == 102;
}
