import { noRoom, numberOf } from './texts';

// Finds tokens, given as UTF-16 positions, among the bytes of JSON strings. A work order is a table of words:
//
//   0 table of texts   4 texts: (address, end, whether each byte is a unit, end of its tokens) each
//   8 number of texts   12 (start, end) of each token in UTF-16 units   16 room for the numbers of the tokens' texts
//  20 room for (address, length) of each token

const backslash: u32 = 92;

/**
 * Stores the numbers and places of all tokens. Returns 0; 1 if there is no room for a new text; 2
 * if a token splits a character.
 */
export function numberTexts(order: usize): i32 {
  const table = load<usize>(order);
  let range = load<usize>(order, 12);
  let number = load<usize>(order, 16);
  let place = load<usize>(order, 20);
  let text = load<usize>(order, 4);
  const end = text + (<usize>load<u32>(order, 8) << 4);
  let token: u32 = 0;
  for (; text < end; text += 16) {
    const isFlat = load<u32>(text, 8) != 0;
    const tokensEnd = load<u32>(text, 12);
    const first = load<usize>(text);
    let at = first;
    unit = 0;
    for (; token < tokensEnd; token += 1) {
      const start = load<u32>(range);
      const stop = load<u32>(range, 4);
      const from = isFlat ? first + start : placeOf(start, at);
      at = isFlat ? first + stop : placeOf(stop, from);
      if (at == 0) return 2;
      const found = numberOf(table, 0, from, at - from);
      if (found == noRoom) return 1;
      store<u32>(number, found);
      store<usize>(place, from);
      store<usize>(place, at - from, 4);
      range += 8;
      number += 4;
      place += 8;
    }
  }
  return 0;
}

/** Number of UTF-16 units before the place found last. */
let unit: u32 = 0;

/**
 * Returns the address of a unit, searching from `at` on; 0 if it, or the previous one, is inside a
 * character.
 */
function placeOf(wanted: u32, at: usize): usize {
  if (at == 0) return 0;
  let count = unit;
  while (count < wanted) {
    const c = <u32>load<u8>(at);
    count += 1;
    if (c == backslash) {
      at += load<u8>(at + 1) == 117 ? 6 : 2;
    } else if (c < 0xc0) {
      at += 1;
    } else if (c < 0xe0) {
      at += 2;
    } else if (c < 0xf0) {
      at += 3;
    } else {
      at += 4;
      count += 1;
    }
  }
  unit = count;
  return count == wanted ? at : 0;
}
