import { pastMarks } from './line-bytes.js';
import type { IntoLines } from './line-splitter.js';

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
 * Converts the items of a JSON array to lines: brackets become blanks, commas between items become line ends, and line
 * ends within items become blanks. Nothing is buffered, however long the array is. Line numbers are item numbers. Text
 * after an array is a separate line, or another array. An array of strings is not an array of records, and remains
 * unchanged.
 *
 * @example
 * const bytes = text => new TextEncoder().encode(text);
 * const { lines, end } = jsonArrayLines.begin();
 * new TextDecoder().decode(lines(bytes('[{"a": [1,\n2]}, {"b": ",]"}]\n'))) // => ' {"a": [1, 2]}\n {"b": ",]"} \n'
 * end().missing // => undefined
 * ['{"a": 1}', '[{"a": 1}]', '["a", {"b": 1}]'].map(text => jsonArrayLines.isNeeded(bytes(text))) // => [false, true, false]
 */
export const jsonArrayLines: IntoLines = {
  // A list that begins with a string is itself a record, such as spaCy's pairs of text and annotations, one per line.
  isNeeded: head => {
    const first = firstFilled(head);
    return head[first] === OPEN_LIST && head[firstFilled(head, first + 1)] !== QUOTE;
  },
  begin: () => {
    const scanner = new ArrayScanner();
    return { lines: chunk => scanner.lines(chunk), end: () => scanner.end() };
  },
};

/** Returns the index of the first byte after white space, and after byte order marks at the start. */
function firstFilled(head: Uint8Array, from = 0): number {
  let at = from === 0 ? pastMarks(head, 0) : from;
  while (isSpace(head[at])) at += 1;
  return at;
}

class ArrayScanner {
  /** Number of open brackets. */
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** Whether an array has ended, and no other array has begun. */
  #closed = false;
  /** Whether the line after the end of an array has been blank so far. */
  #isBlank = true;
  /**
   * Number of bytes held back: the end of an array and the blanks after it; if anything follows on the same line, a
   * line ends there.
   */
  #held = 0;
  #items = 0;
  #isFilled = false;

  lines(chunk: Uint8Array): Uint8Array {
    const bytes = new Uint8Array(this.#held + chunk.length).fill(BLANK, 0, this.#held);
    bytes.set(chunk, this.#held);
    let end = this.#held > 0 ? 0 : -1;
    for (let i = this.#held; i < bytes.length; i += 1) {
      const byte = bytes[i]!;
      if (this.#inText) {
        this.#readText(byte);
      } else if (this.#closed) {
        if (end >= 0 && !isSpace(byte)) bytes[end] = LF;
        if (byte === LF || !isSpace(byte)) end = -1;
        bytes[i] = this.#behind(byte);
      } else {
        bytes[i] = this.#outside(byte);
        if (this.#closed) end = i;
      }
    }
    this.#held = end < 0 ? 0 : bytes.length - end;
    return end < 0 ? bytes : bytes.subarray(0, end);
  }

  end(): { readonly rest: Uint8Array; readonly missing?: string } {
    if (this.#closed) return { rest: new Uint8Array(this.#held).fill(BLANK) };
    const isInside = this.#inText || this.#depth > 1;
    const count = this.#items + (this.#isFilled ? 1 : 0);
    const where = isInside ? `it ends within item ${count}` : 'it has no closing bracket';
    const after = isInside || count === 0 ? '' : ` after item ${count}`;
    // A complete item has been read.
    return { rest: Uint8Array.of(isInside ? BLANK : LF), missing: `${where}${after}` };
  }

  #readText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inText = false;
  }

  /** Converts a byte outside strings. */
  #outside(byte: number): number {
    if (byte === QUOTE) this.#inText = true;
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.#depth += 1;
      if (this.#depth === 1 && byte === OPEN_LIST) {
        this.#isFilled = false;
        return BLANK;
      }
    }
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      this.#depth -= 1;
      if (this.#depth !== 0 || byte !== CLOSE_LIST) return byte;
      this.#closed = true;
      this.#isBlank = true;
      return BLANK;
    }
    if (byte === COMMA && this.#depth === 1) {
      this.#items += 1;
      this.#isFilled = false;
      return LF;
    }
    if (isSpace(byte)) return byte === LF || byte === CR ? BLANK : byte;
    this.#isFilled = true;
    return byte;
  }

  /** Converts a byte after the end of an array, where another array may begin. */
  #behind(byte: number): number {
    if (byte === OPEN_LIST && this.#isBlank) {
      this.#closed = false;
      this.#depth = 1;
      this.#items = 0;
      this.#isFilled = false;
      return BLANK;
    }
    if (byte === LF) this.#isBlank = true;
    else if (!isSpace(byte) && !isOfMark(byte)) this.#isBlank = false;
    return byte === LF || !isSpace(byte) ? byte : BLANK;
  }
}

/** Whether a byte belongs to a byte order mark, which is dropped at the beginning of a line. */
function isOfMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf;
}

function isSpace(byte: number | undefined): boolean {
  return byte === BLANK || byte === LF || byte === 9 || byte === CR;
}
