/** What an ASCII character is for the word boundaries of Unicode; all others stand alone. */
const letter = 1;
const digit = 2;
const connector = 4;
/** Between letters, between digits, or between either. */
const midLetter = 8;
const midNumber = 16;

const classes = new Uint8Array(128);
for (let c = 0; c < 128; c += 1) {
  const character = String.fromCharCode(c);
  if (/[A-Za-z]/.test(character)) classes[c] = letter;
  else if (/\d/.test(character)) classes[c] = digit;
  else if (character === '_') classes[c] = connector;
  else if (character === ':') classes[c] = midLetter;
  else if (/[,;]/.test(character)) classes[c] = midNumber;
  else if (/[.']/.test(character)) classes[c] = midLetter | midNumber;
}

/**
 * Where the word that begins at `start` ends, by the rules of Unicode for word boundaries (UAX #29, WB5 to WB13b) as far
 * as they are about ASCII. Whatever is not part of a word is one character.
 *
 * @param text with nothing but ASCII in `[start, end)`, and white space or an end of the text around that
 * @example
 * asciiWordEnd("can't_1.", 0, 8) // => 7
 */
export function asciiWordEnd(text: string, start: number, end: number): number {
  const word = letter | digit | connector;
  let before = classes[text.charCodeAt(start)]!;
  let at = start + 1;
  if ((before & word) === 0) return at;
  for (; at < end; at += 1) {
    const here = classes[text.charCodeAt(at)]!;
    if ((here & word) !== 0) {
      before = here;
      continue;
    }
    if (at + 1 === end) return at;
    const after = classes[text.charCodeAt(at + 1)]!;
    const joins =
      ((here & midLetter) !== 0 && before === letter && after === letter) ||
      ((here & midNumber) !== 0 && before === digit && after === digit);
    if (!joins) return at;
  }
  return at;
}
