import type { Range } from '../../core/sentence/document.js';
import { classOf, foldOf } from './character-classes.js';

/** Code point and class of white space inside a paragraph. */
const space = 0x20;

/** Code point and class of text outside paragraphs. */
export const outside = 0x0a;

/**
 * A paragraph of a text as numbers: its code points in lower case, their classes, and the chunks
 * between white space. All arrays have one entry per code point.
 */
export class CharacterText {
  readonly length: number;
  /**
   * UTF-16 unit of the text at which each code point begins, followed by the end of the last one.
   */
  readonly starts: Int32Array;
  readonly folded: Int32Array;
  readonly classes: Int32Array;
  /** Chunk of each code point; for white space the previous chunk, or -1. */
  readonly chunkOf: Int32Array;
  /** First code point of each chunk, followed by the end of the last one. */
  readonly chunkStarts: Int32Array;
  readonly chunkEnds: Int32Array;
  readonly chunks: number;
  /** Hash of each chunk in lower case. */
  readonly chunkHashes: Int32Array;

  /** @param range UTF-16 units of the paragraph in the text */
  constructor(text: string, [from, to]: Range) {
    const most = to - from;
    const starts = new Int32Array(most + 1);
    const folded = new Int32Array(most);
    const classes = new Int32Array(most);
    const chunkOf = new Int32Array(most);
    const chunkStarts = new Int32Array((most >> 1) + 1);
    const chunkEnds = new Int32Array((most >> 1) + 1);
    const chunkHashes = new Int32Array((most >> 1) + 1);
    let length = 0;
    let chunks = 0;
    let hash = 0;
    let inside = false;
    for (let at = from; at < to; length += 1) {
      let point = text.charCodeAt(at);
      starts[length] = at;
      at += 1;
      if (point >= 0xd800 && point < 0xdc00 && at < to) {
        const low = text.charCodeAt(at);
        if (low >= 0xdc00 && low < 0xe000) {
          point = (point - 0xd800) * 0x400 + low - 0xdc00 + 0x10000;
          at += 1;
        }
      }
      const own = classOf(point);
      classes[length] = own;
      folded[length] = foldOf(point);
      if (own === space) {
        if (inside) {
          chunkEnds[chunks - 1] = length;
          chunkHashes[chunks - 1] = hash;
        }
        inside = false;
      } else if (!inside) {
        chunkStarts[chunks] = length;
        chunks += 1;
        inside = true;
        hash = 0x811c9dc5;
      }
      hash = Math.imul(hash ^ folded[length]!, 0x01000193);
      chunkOf[length] = chunks - 1;
    }
    starts[length] = to;
    if (inside) {
      chunkEnds[chunks - 1] = length;
      chunkHashes[chunks - 1] = hash;
    }
    this.length = length;
    this.starts = starts;
    this.folded = folded;
    this.classes = classes;
    this.chunkOf = chunkOf;
    this.chunkStarts = chunkStarts;
    this.chunkEnds = chunkEnds;
    this.chunks = chunks;
    this.chunkHashes = chunkHashes;
  }

  /** Returns whether a code point is white space. */
  isSpace(at: number): boolean {
    return this.classes[at] === space;
  }
}

const emptyLine = /(?:\r\n|\n|\r(?!\n))[^\S\n\r]*(?:\r\n|[\n\r])\s*|\u2029\s*/g;

/**
 * Returns the paragraphs of a text, separated by empty lines, as ranges of UTF-16 units. A text of
 * only white space has none.
 *
 * @example
 * paragraphsOf('One.\n\nTwo.') // => [[0, 4], [6, 10]]
 */
export function paragraphsOf(text: string): Range[] {
  const found: Range[] = [];
  let from = 0;
  const add = (to: number) => {
    if (to > from && text.slice(from, to).trim() !== '') found.push([from, to]);
  };
  emptyLine.lastIndex = 0;
  for (let match = emptyLine.exec(text); match !== null; match = emptyLine.exec(text)) {
    add(match.index);
    from = emptyLine.lastIndex;
  }
  add(text.length);
  return found;
}
