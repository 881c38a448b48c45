const LF = 10;

/** The byte order mark in UTF-8. */
const mark = Buffer.of(0xef, 0xbb, 0xbf);

/**
 * Returns the end of the byte order marks at a position; the position itself if there are none. Concatenating files
 * that begin with a mark, as `cat` does, leaves it in front of a line: at the beginning of a line, a mark is never part
 * of a record.
 *
 * @param end end of the bytes examined
 * @example
 * pastMarks(new TextEncoder().encode('a\n\ufeff\ufeffb'), 2) // => 8
 */
export function pastMarks(bytes: Uint8Array, at: number, end = bytes.length): number {
  let past = at;
  while (
    past + mark.length <= end &&
    bytes[past] === mark[0] &&
    bytes[past + 1] === mark[1] &&
    bytes[past + 2] === mark[2]
  ) {
    past += mark.length;
  }
  return past;
}

/**
 * Returns whether any line begins with a byte order mark. For ASCII text, this is as fast as searching for one byte.
 *
 * @param bytes bytes that begin with a line
 * @example
 * ['\ufeffa', 'a\n\ufeffb', 'a \ufeffb'].map(text => hasMarkedLine(new TextEncoder().encode(text))) // => [true, true, false]
 */
export function hasMarkedLine(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    if (at === 0 || text[at - 1] === LF) return true;
  }
  return false;
}

/**
 * Whether a byte or UTF-16 unit is a blank, a tab or a carriage return: the content of blank lines. Other white
 * space may be a token.
 *
 * @example
 * [32, 9, 13, 0xa0].map(isBlankByte) // => [true, true, true, false]
 */
export function isBlankByte(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 13;
}

/**
 * Counts the nonblank lines, which are records where each record is a line.
 *
 * @example
 * countRecordLines(new TextEncoder().encode('{}\n \n{}')) // => 2
 */
export function countRecordLines(bytes: Uint8Array): number {
  let count = 0;
  let isBlank = true;
  for (const byte of bytes) {
    if (byte === LF) {
      if (!isBlank) count += 1;
      isBlank = true;
    } else if (isBlank && !isBlankByte(byte)) isBlank = false;
  }
  return isBlank ? count : count + 1;
}

/**
 * Whether a text begins like JSON records: with an object, or an array of objects, arrays or texts.
 *
 * @example
 * ['{"text": "a"}', '[{"text": "a"}]', '["a", {}]', '[Music] Hello.', '[1] As above.'].map(beginsAsJson)
 * // => [true, true, true, false, false]
 */
export function beginsAsJson(text: string): boolean {
  return /^\s*(?:\{|\[\s*(?:[[{"\]]|$))/.test(text);
}

/** Marks the beginning of a document in CoNLL shared task files; in other files, a comment. */
export const documentMark = '-DOCSTART-';
