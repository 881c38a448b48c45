import { last, wordBytes } from './divide-texts';

// Places the tokens of texts whose words are known. A work order is a table of words:
//
//   0 words and 4 (end of its words, end of its sentences) of each record: as written by `divideTexts`
//   8 number of records   12 ends of sentences   16 for each word (tokens, their number, both again for a word at the
//     end of a text) in 16 bytes; the number is `unknownTokens` if the tokens depend on more than the word
//  20 room for the numbers of the tokens   24 (address, length) each   28 (start, end) in UTF-16 units each
//  32 end of the tokens of each record   36 room for gaps that may separate sentences: (token after it, end of the
//     token before, start of the one after, its end, whether there is an empty line) each
//  40 number of gaps, which is written   44 maximum tokens, except for a single record
//
// A token of a word has 12 bytes: u16 first byte in the word, u16 bytes, number of its text, u16 first unit, u16 units.

const unknownTokens: u32 = 0xffffffff;

/** Counts the tokens of each record; returns the number of records whose tokens are known and within the limit. */
export function countTokens(order: usize): u32 {
  let word = load<usize>(order);
  const records = load<u32>(order, 8);
  const most = load<u32>(order, 44);
  const known = load<usize>(order, 16);
  let noted = load<usize>(order, 4);
  let ends = load<usize>(order, 32);
  let tokens: u32 = 0;
  for (let record: u32 = 0; record < records; record += 1) {
    const end = load<usize>(noted);
    const before = tokens;
    for (; word < end; word += wordBytes) {
      const count = load<u32>(knownOf(known, word), 4);
      if (count == unknownTokens) return record;
      tokens += count;
    }
    // A record without tokens is an error, which is reported elsewhere.
    if (tokens == before || (record > 0 && tokens > most)) return record;
    store<u32>(ends, tokens);
    noted += 8;
    ends += 4;
  }
  return records;
}

/** Returns the stored data of a word at its position. */
// @ts-expect-error: decorator
@inline
function knownOf(known: usize, word: usize): usize {
  const isLast = (load<u32>(word, 12) & last) != 0;
  return known + (<usize>load<u32>(word) << 4) + (isLast ? 8 : 0);
}

/** Places the tokens of all records. */
export function placeTokens(order: usize): void {
  let word = load<usize>(order);
  const records = load<u32>(order, 8);
  let sentence = load<usize>(order, 12);
  const known = load<usize>(order, 16);
  let noted = load<usize>(order, 4);
  let number = load<usize>(order, 20);
  let place = load<usize>(order, 24);
  let range = load<usize>(order, 28);
  let gap = load<usize>(order, 36);
  let token: u32 = 0;
  let gaps: u32 = 0;
  for (let record: u32 = 0; record < records; record += 1) {
    const end = load<usize>(noted);
    const sentencesEnd = load<usize>(noted, 4);
    let before: usize = 0;
    let breaks: u32 = 0;
    for (; word < end; word += wordBytes) {
      const own = knownOf(known, word);
      const from = load<usize>(word, 4);
      const unit = load<u32>(word, 8);
      breaks += load<u32>(word, 12) & ~last;
      let entry = load<usize>(own);
      const entriesEnd = entry + <usize>load<u32>(own, 4) * 12;
      for (; entry < entriesEnd; entry += 12) {
        const start = from + <usize>load<u16>(entry);
        const length = <usize>load<u16>(entry, 2);
        const first = unit + <u32>load<u16>(entry, 8);
        store<u32>(number, load<u32>(entry, 4));
        store<usize>(place, start);
        store<usize>(place, length, 4);
        store<u32>(range, first);
        store<u32>(range, first + <u32>load<u16>(entry, 10), 4);
        number += 4;
        place += 8;
        range += 8;
        while (sentence < sentencesEnd && load<usize>(sentence) < before) sentence += 4;
        const mayEnd = sentence < sentencesEnd && load<usize>(sentence) <= start;
        if (before != 0 && (mayEnd || breaks > 1)) {
          store<u32>(gap, token);
          store<usize>(gap, before, 4);
          store<usize>(gap, start, 8);
          store<usize>(gap, start + length, 12);
          store<u32>(gap, u32(breaks > 1), 16);
          gap += 20;
          gaps += 1;
        }
        before = start + length;
        breaks = 0;
        token += 1;
      }
    }
    sentence = sentencesEnd;
    noted += 8;
  }
  store<u32>(order, gaps, 40);
}
