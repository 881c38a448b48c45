import { pastMarks } from './byte-order-marks.js';
import type { IntoLines } from './into-lines.js';

const LF = 10;
const CR = 13;
const BLANK = 32;
const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * The items of a JSON array as lines: its brackets become blanks, the commas between items line ends, and line ends
 * within items blanks. Nothing is held, whatever the length of the array. The number of a line is that of an item.
 *
 * @example
 * const bytes = text => new TextEncoder().encode(text);
 * const lines = jsonArrayLines.begin();
 * new TextDecoder().decode(lines(bytes('[{"a": [1,\n2]}, {"b": ",]"}]\n'))) // => ' {"a": [1, 2]}\n {"b": ",]"} \n'
 * jsonArrayLines.isNeeded(bytes('{"a": 1}')) // => false
 */
export const jsonArrayLines: IntoLines = {
  isNeeded: head => head[firstFilled(head)] === OPEN_LIST,
  begin: () => {
    const scanner = new ArrayScanner();
    return chunk => scanner.lines(chunk);
  },
};

/** Past byte order marks and white space. */
function firstFilled(head: Uint8Array): number {
  let at = pastMarks(head, 0);
  while (isSpace(head[at])) at += 1;
  return at;
}

class ArrayScanner {
  /** Brackets that are open. */
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** Whether the end of the array has come. */
  #closed = false;

  lines(chunk: Uint8Array): Uint8Array {
    const bytes = Uint8Array.from(chunk);
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i]!;
      if (this.#inText) this.#readText(byte);
      else bytes[i] = this.#outside(byte);
    }
    return bytes;
  }

  #readText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  /** What stands in the place of a byte outside of texts. */
  #outside(byte: number): number {
    if (byte === QUOTE) this.#inText = true;
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.#depth += 1;
      return this.#depth === 1 && byte === OPEN_LIST && !this.#closed ? BLANK : byte;
    }
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      this.#depth -= 1;
      if (this.#depth !== 0 || byte !== CLOSE_LIST || this.#closed) return byte;
      this.#closed = true;
      return BLANK;
    }
    if (byte === COMMA && this.#depth === 1 && !this.#closed) return LF;
    // The line end after the array ends the last item.
    return (byte === LF && !this.#closed) || byte === CR ? BLANK : byte;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === BLANK || byte === LF || byte === 9 || byte === CR;
}
