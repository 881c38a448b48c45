// A table of the words of a lexicon in its JSON, `[["CLASS",["word",...]],...]`, described in
// `engine/features/context/lexicon-words.ts`. An entry has two words: where a word begins, and where its class begins, both as
// offsets in the text of the byte after the opening quotation mark; 0 marks a free entry.

const quote: u8 = 0x22;
const comma: u8 = 0x2c;
const backslash: u8 = 0x5c;
const open: u8 = 0x5b;
const close: u8 = 0x5d;

/** Returns the number of strings in a text, at least. */
export function countTexts(from: usize, end: usize): u32 {
  let quotes: u32 = 0;
  for (let at = from; at < end; at += 1) quotes += <u32>(load<u8>(at) == quote);
  return quotes >> 1;
}

/**
 * Enters all words of a text into a table of zeros with more than `countTexts` entries; a later class of the same word
 * replaces an earlier one. Returns whether the text has this form without white space, and no escape other than that of
 * a quotation mark, a backslash or a control character with a letter of its own.
 */
export function enterWords(from: usize, end: usize, table: usize, mask: u32): bool {
  let at = from;
  if (!is(at, end, open)) return false;
  at += 1;
  if (is(at, end, close)) return at + 1 == end;
  while (true) {
    if (!is(at, end, open) || !is(at + 1, end, quote)) return false;
    const name = at + 2;
    at = endOfText(name, end);
    if (at == 0 || !is(at + 1, end, comma) || !is(at + 2, end, open)) return false;
    at += 3;
    if (!is(at, end, close)) {
      while (true) {
        if (!is(at, end, quote)) return false;
        const word = at + 1;
        at = endOfText(word, end);
        if (at == 0) return false;
        enter(from, word, at, <u32>(name - from), table, mask);
        at += 1;
        if (is(at, end, close)) break;
        if (!is(at, end, comma)) return false;
        at += 1;
      }
    }
    if (!is(at + 1, end, close)) return false;
    at += 2;
    if (is(at, end, close)) return at + 1 == end;
    if (!is(at, end, comma)) return false;
    at += 1;
  }
  return false;
}

// @ts-expect-error: decorator
@inline
function is(at: usize, end: usize, byte: u8): bool {
  return at < end && load<u8>(at) == byte;
}

/** Returns the address of the closing quotation mark of a string, or 0 if it is not in the expected form. */
function endOfText(from: usize, end: usize): usize {
  for (let at = from; at < end; at += 1) {
    const byte = load<u8>(at);
    if (byte == quote) return at;
    if (byte < 0x20) return 0;
    if (byte != backslash) continue;
    at += 1;
    if (at == end) return 0;
    const escaped = load<u8>(at);
    const isShort =
      escaped == quote ||
      escaped == backslash ||
      escaped == 0x62 ||
      escaped == 0x66 ||
      escaped == 0x6e ||
      escaped == 0x72 ||
      escaped == 0x74;
    if (!isShort) return 0;
  }
  return 0;
}

function enter(
  from: usize,
  word: usize,
  wordEnd: usize,
  name: u32,
  table: usize,
  mask: u32,
): void {
  // FNV-1a.
  let hash: u32 = 0x811c9dc5;
  for (let at = word; at < wordEnd; at += 1) hash = (hash ^ <u32>load<u8>(at)) * 0x01000193;
  let slot = (hash ^ (hash >> 15)) & mask;
  while (true) {
    const entry = table + ((<usize>slot) << 3);
    const held = <usize>load<u32>(entry);
    if (held == 0 || isSame(from + held, word, wordEnd)) {
      store<u32>(entry, <u32>(word - from));
      store<u32>(entry, name, 4);
      return;
    }
    slot = (slot + 1) & mask;
  }
}

/** Whether the string at an address is a word, with the closing quotation mark. */
function isSame(held: usize, word: usize, wordEnd: usize): bool {
  for (let at = word; at <= wordEnd; at += 1, held += 1) {
    if (load<u8>(held) != load<u8>(at)) return false;
  }
  return true;
}
