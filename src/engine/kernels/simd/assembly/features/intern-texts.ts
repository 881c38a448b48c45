import { combineTexts } from './encode-texts';
import { slotOf, touch } from './rows';

// Like `encodeTexts`, but new features get the next rows of an index without a cutoff: the row of a
// single-text feature is looked up when the text first occurs and then stored in the text's record.
// Additional words of a work order (68, 72 and 84 are not read):
//
//  96 counts of table entries and, 4 bytes further on, of rows   100 maximum number of entries
// 104 room for the fingerprints of new rows, from row 108 on, or 0
// 112 for each template (offset in a record of the content it looks at, lo, hi of its text)
// 116 first token of each sentence, and after the last the number of tokens   120 number of rows so far

/** Marks a feature absent from a text. */
const none: u32 = 0xffffffff;

/**
 * Adds the rows of sentences [sentence, sentences): each adds one more start than it has tokens,
 * beginning with 0. Stops before a sentence whose features might overflow the table; returns the next
 * sentence.
 */
export function internTexts(order: usize, sentence: u32, sentences: u32): u32 {
  const counts = load<usize>(order, 96);
  const templates = load<u32>(order, 88);
  const most = load<u32>(order, 100);
  const firsts = load<usize>(order, 116);
  for (; sentence < sentences; sentence += 1) {
    const bounds = firsts + (<usize>sentence << 2);
    const first = load<u32>(bounds);
    const length = load<u32>(bounds, 4) - first;
    if (load<u32>(counts) + length * templates > most) break;
    internSentence(order, first, length, load<usize>(order, 76) + (<usize>(first + sentence) << 2));
  }
  return sentence;
}

function internSentence(order: usize, first: u32, length: u32, starts: usize): void {
  combineTexts(order, first, length);
  const combined = load<i32>(order, 4);
  let list = load<usize>(order, 8);
  const table = load<usize>(order, 60);
  const mask = load<u32>(order, 64);
  touch(table, mask, list, length * combined);
  const records = load<usize>(order, 52);
  const bytes = load<usize>(order, 56);
  const plan = load<usize>(order, 92);
  const templates = <usize>load<u32>(order, 88);
  const begin = load<usize>(order, 80) + (<usize>load<u32>(order, 120) << 2);
  let out = begin;
  store<u32>(starts, 0);
  for (let t: usize = 0; t < <usize>length; t += 1) {
    for (let k: usize = 0; k < templates; k += 1) {
      const number = load<usize>(plan + (k << 3));
      let row: u32;
      if (number == 0) {
        const wanted = load<u64>(list);
        list += 8;
        if (wanted == 0) continue;
        row = interned(order, table, mask, wanted);
      } else {
        const record = records + <usize>load<u32>(number + (t << 2)) * bytes;
        const held = record + load<usize>(plan + (k << 3), 4);
        row = load<u32>(held);
        if (row == 0) {
          row = rowOfText(order, table, mask, k, record);
          store<u32>(held, row);
        }
        if (row == none) continue;
      }
      store<u32>(out, row - 1);
      out += 4;
    }
    store<u32>(starts + ((t + 1) << 2), <u32>((out - begin) >> 2));
  }
  store<u32>(order, load<u32>(order, 120) + <u32>((out - begin) >> 2), 120);
}

/** Returns the row + 1 of a single-text feature, from the text's record; `none` if it is not active. */
function rowOfText(order: usize, table: usize, mask: u32, template: usize, record: usize): u32 {
  const source = load<usize>(order, 112) + template * 12;
  const content = record + load<usize>(source);
  const x = load<u32>(content);
  const y = load<u32>(content, 4);
  if ((x | y) == 0) return none;
  // As in `combine`, for one piece and one token.
  let lo = rotl<u32>((load<u32>(source, 4) ^ x) * 0x9e3779b1, 15);
  let hi = rotl<u32>((load<u32>(source, 8) ^ y) * 0x85ebca77, 13);
  lo = finished(lo ^ (hi * 0x9e3779b1));
  hi = finished(hi ^ (lo * 0x85ebca77));
  const wanted = <u64>lo | (<u64>hi << 32);
  return wanted == 0 ? none : interned(order, table, mask, wanted);
}

/** Applies Murmur3's finaliser. */
function finished(word: u32): u32 {
  word ^= word >> 16;
  word *= 0x85ebca6b;
  word ^= word >> 13;
  word *= 0xc2b2ae35;
  return word ^ (word >> 16);
}

/** Returns the row + 1 of a fingerprint; assigns the next row to a new fingerprint. */
// @ts-expect-error: decorator
@inline
function interned(order: usize, table: usize, mask: u32, wanted: u64): u32 {
  const slot = slotOf(table, mask, wanted, <u32>wanted, <u32>(wanted >> 32));
  const entry = table + (<usize>slot << 4);
  const row = load<u32>(entry, 8);
  return row != 0 ? row : added(order, entry, wanted);
}

function added(order: usize, entry: usize, wanted: u64): u32 {
  const counts = load<usize>(order, 96);
  const row = load<u32>(counts, 4);
  store<u32>(counts, load<u32>(counts) + 1);
  store<u32>(counts, row + 1, 4);
  store<u64>(entry, wanted);
  store<u32>(entry, row + 1, 8);
  store<u32>(entry, 1, 12);
  const fresh = load<usize>(order, 104);
  if (fresh != 0) store<u64>(fresh + (<usize>(row - load<u32>(order, 108)) << 3), wanted);
  return row + 1;
}
