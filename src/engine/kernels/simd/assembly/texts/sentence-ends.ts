// Finds possible sentence ends by the Unicode rules (UAX #29, SB5 to SB11) in texts as encoded between the quotes of
// JSON strings, without `\u` and paragraph separators; line breaks count as spaces. Character classes are bytes for
// U+0000 to U+07FF, then for U+2000 to U+22FF; `engine/text/sentences/sentence-classes.ts` creates them.

const lower: u32 = 1;
const upper: u32 = 2;
const otherLetter: u32 = 3;
const numeric: u32 = 4;
const white: u32 = 5;
const close: u32 = 6;
const goesOn: u32 = 7;
const fullStop: u32 = 8;
const terminator: u32 = 9;
/** Class of characters that belong to the character before them. */
const extend: u32 = 10;
/** Class of characters outside the table, or without a class. */
const unknown: u32 = 255;

/**
 * Maximum number of characters of lookahead for one decision; texts that need more are left to the general path.
 */
const mostAhead: i32 = 100;

/** Number of bytes of the character whose class was looked up last. */
let bytes: usize = 0;

/**
 * Writes the address of each sentence end except the last; returns where the next one goes, or 0 if a decision needs
 * more lookahead.
 */
export function sentenceEnds(classes: usize, start: usize, end: usize, out: usize): usize {
  let at = start;
  let isAfterLetter = false;
  /** Class of the last terminator, or 0; and what followed it: nothing, closing characters, or white space. */
  let met: u32 = 0;
  let phase: u32 = 0;
  let wasAfterLetter = false;
  while (at < end) {
    const here = classAt(classes, at);
    const next = at + bytes;
    if (here == unknown) return 0;
    if (here == extend) {
      at = next;
      continue;
    }
    if (met != 0) {
      if (here == white || (here == close && phase < 2)) {
        phase = here == white ? 2 : 1;
        at = next;
        continue;
      }
      let ends = here != fullStop && here != terminator && here != goesOn;
      if (ends && met == fullStop) {
        if (phase == 0 && (here == numeric || (here == upper && wasAfterLetter))) {
          ends = false;
        } else if (here == lower) {
          ends = false;
        } else if (here != upper && here != otherLetter) {
          const letter = letterFrom(classes, next, end);
          if (letter == unknown) return 0;
          ends = letter != lower;
        }
      }
      if (ends) {
        store<usize>(out, at);
        out += 4;
      }
      met = 0;
    }
    if (here == fullStop || here == terminator) {
      met = here;
      phase = 0;
      wasAfterLetter = isAfterLetter;
    }
    isAfterLetter = here == lower || here == upper;
    at = next;
  }
  return out;
}

/** Returns the class of the first letter or terminator; 0 if there is none. */
function letterFrom(classes: usize, start: usize, end: usize): u32 {
  let at = start;
  for (let i = 0; i < mostAhead; i += 1) {
    if (at >= end) return 0;
    const here = classAt(classes, at);
    if (here == unknown) return unknown;
    if (here != 0 && (here <= otherLetter || here == fullStop || here == terminator)) return here;
    at += bytes;
  }
  return unknown;
}

// @ts-expect-error: decorator
@inline
function classAt(classes: usize, at: usize): u32 {
  const c = <u32>load<u8>(at);
  if (c < 0x80) {
    bytes = 1;
    if (c == 92) {
      bytes = 2;
      const letter = <u32>load<u8>(at + 1);
      if (letter == 34 || letter == 92) return load<u8>(classes + <usize>letter);
      // Of the other escapes, only `\b` is not white space.
      return letter == 98 ? 0 : white;
    }
    return load<u8>(classes + <usize>c);
  }
  return classOfWide(classes, at, c);
}

function classOfWide(classes: usize, at: usize, c: u32): u32 {
  const d = <u32>load<u8>(at + 1) & 0x3f;
  if (c < 0xe0) {
    bytes = 2;
    return load<u8>(classes + <usize>(((c & 0x1f) << 6) | d));
  }
  bytes = c < 0xf0 ? 3 : 4;
  const code = ((c & 0xf) << 12) | (d << 6) | (<u32>load<u8>(at + 2) & 0x3f);
  if (bytes == 4 || code - 0x2000 >= 0x300) return unknown;
  return load<u8>(classes + 0x800 + <usize>(code - 0x2000));
}
