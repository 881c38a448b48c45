import { defaultMaxTokens } from '../../../core/sentence/sentence-limit.js';
import { isDocumentMark } from '../../lines/line-bytes.js';
import type { CellTexts } from '../cell-texts.js';
import type { DocumentDraft } from '../codec.js';
import type { PlainBlock, PlainBlockReader } from '../plain-reader.js';
import { type ConllLayout, hasQuotes } from './conll-layout.js';
import { draftOf, emptyCells, type SentenceCells } from './read-sentence.js';

const TAB = 9;
const LF = 10;
const CR = 13;
const BLANK = 32;

/**
 * Reads sentences in columns from their bytes, without an object for a line. Rows with a CR or a wrong number of
 * columns are not plain, nor are marks of documents and sentences of too many rows: they are left to `readSentence`, right or wrong.
 */
export class PlainRows implements PlainBlockReader {
  readonly #layout: ConllLayout;
  readonly #maxTokens: number;
  readonly #texts: CellTexts;
  /** Of the cells of a row: first byte, end and hash. */
  readonly #cells: Int32Array;
  #sentence: SentenceCells;
  rowsEnd = 0;
  next = 0;
  lines = 0;

  /** Undefined where rows need more to be understood: comments, or tags that may be wrong. */
  static of(layout: ConllLayout, maxTokens = defaultMaxTokens): PlainRows | undefined {
    const isPlain =
      layout.comment === undefined &&
      layout.sentenceStarts === undefined &&
      !hasQuotes(layout.separator) &&
      layout.tagCells.alternatives === undefined &&
      (layout.tagCells.outside !== '_' || layout.leastCells === layout.columns.length);
    return isPlain ? new PlainRows(layout, maxTokens) : undefined;
  }

  private constructor(layout: ConllLayout, maxTokens: number) {
    this.#layout = layout;
    this.#maxTokens = maxTokens;
    this.#texts = layout.cellTexts();
    this.#cells = new Int32Array(3 * layout.columns.length);
    this.#sentence = emptyCells(layout);
  }

  read(bytes: Buffer, start: number): PlainBlock {
    const { columns, leastCells } = this.#layout;
    this.#sentence = emptyCells(this.#layout);
    this.lines = 0;
    for (let at = start; ; ) {
      const cells = this.#readRow(bytes, at);
      if (cells < 0) return cells === open ? 'open' : 'other';
      if (isDocumentMark(bytes, at)) return 'other';
      const end = this.next - 1;
      at = this.next;
      this.lines += 1;
      if (cells === 0) return 'plain';
      if (cells !== columns.length && cells !== leastCells) return 'other';
      if (this.lines > this.#maxTokens) return 'other';
      this.rowsEnd = end;
      this.#addRow(bytes, cells);
    }
  }

  take(): DocumentDraft {
    return draftOf(this.#sentence, this.#layout);
  }

  /** Finds the cells of the row that begins at `at`; how many there are, 0 for a blank row, or why it ends. */
  #readRow(bytes: Buffer, at: number): number {
    const found = this.#cells;
    const byTab = this.#layout.separator === 'tab';
    const end = bytes.length;
    let count = 0;
    let isBlank = true;
    let inCell = byTab;
    let first = at;
    let hash = 0;
    for (let i = at; ; i += 1) {
      if (i === end) return open;
      const byte = bytes[i]!;
      const separates = byte === TAB || (byte === BLANK && !byTab);
      if (separates || byte === LF) {
        if (inCell) {
          if (3 * count === found.length) return other;
          found[3 * count] = first;
          found[3 * count + 1] = i;
          found[3 * count + 2] = hash;
          count += 1;
        }
        inCell = byTab;
        first = i + 1;
        hash = 0;
        if (byte === LF) {
          this.next = i + 1;
          return isBlank ? 0 : count;
        }
        continue;
      }
      if (byte === CR) return other;
      if (!inCell) first = i;
      inCell = true;
      if (byte !== BLANK) isBlank = false;
      hash = (Math.imul(hash ^ byte, 0x01000193) + 0x9e3779b) | 0;
    }
  }

  #addRow(bytes: Buffer, cells: number): void {
    const { formIndex, tagIndex, otherIndexes, tagCells } = this.#layout;
    const { tokens, tags, others } = this.#sentence;
    tokens.push(this.#textOf(bytes, formIndex));
    if (tagIndex >= 0) {
      tags.push(tagIndex < cells ? this.#textOf(bytes, tagIndex) : (tagCells.unknown ?? '_'));
    }
    for (let i = 0; i < otherIndexes.length; i += 1) {
      others[i]!.push(this.#textOf(bytes, otherIndexes[i]!));
    }
  }

  #textOf(bytes: Buffer, column: number): string {
    const cells = this.#cells;
    return this.#texts.of(
      bytes,
      cells[3 * column]!,
      cells[3 * column + 1]!,
      cells[3 * column + 2]!,
    );
  }
}

/** Why no row was read: its end is not there yet, or it is not plain. */
const open = -1;
const other = -2;
