import type { TextTable } from '../../../engine/features/texts/text-table.js';
import type { TextColumns } from '../../../engine/features/texts/text-work.js';
import { Region } from '../../../engine/kernels/memory/region.js';
import { recordFunctions } from '../../../engine/kernels/simd/record-functions.js';
import {
  type LabelledReader,
  type LabelledSentences,
  layText,
  longestRecord,
  type PlainEnding,
  plainTokens,
} from '../plain-reader.js';
import { areAsWritten } from '../tag-cells.js';
import { type ConllLayout, hasQuotes } from './conll-layout.js';

/** Size of a reader in words; see assembly/records/read-rows.ts. */
const readerWords = 18;

/** Maximum number of rows read at a time, unless one sentence has more. */
const fewRows = 4096;

/** Size of a row in words. */
const rowWords = 3;

/** Marks a column without numbers, and a cell that is not read, but must not be blank. */
const none = 0xffffffff;
const filled = 0xffffffff;

/** Reasons why reading ended. */
const endings = ['end', 'not-plain', 'texts-full', 'full'] as const;

export interface RowReaderOptions {
  readonly layout: ConllLayout;
  /** Columns that templates use, beginning with the tokens. */
  readonly columns: readonly string[];
  readonly maxLineBytes: number;
  readonly maxTokens: number;
  /**
   * Whether gold tags are read, as a column after the others. If so, a text is read at once, sentences without tags are
   * skipped, and all rows have a tag.
   */
  readonly labelled?: boolean;
}

/**
 * Reads sentences in columns as numbers of texts, without allocating objects, and keeps the positions of their rows. It
 * handles rows that have the right number of cells, without CR, comments or quotation marks. In sentences to be tagged,
 * the tag is the last cell or absent; if tags are optional, rows without them must be in the form that Tagstream
 * writes. All other input, valid or not, is left to `readSentence`.
 */
export class RowReader implements LabelledReader {
  readonly #texts: TextTable;
  readonly #options: RowReaderOptions;
  readonly #text: Region;
  readonly #numbers: Region;
  readonly #firsts: Region;
  readonly #rows: Region;
  readonly #places: number;
  readonly #reader: number;
  readonly #isLabelled: boolean;
  /** Number of skipped sentences without a tag. */
  #unlabelled = 0;
  #length = 0;
  /** Maximum number of rows that fit. */
  #most = fewRows;
  position = 0;
  line = 0;
  /** Number of blank lines, which are not counted because they end sentences. */
  readonly blank = 0;
  starts = new Uint32Array(1);

  /** Whether sentences with this layout can be read, for templates that use these columns. */
  static canRead(
    layout: ConllLayout,
    columns: readonly string[],
    { labelled = false } = {},
  ): boolean {
    const { comment, separator, tagCells, formIndex, tagIndex, sentenceStarts } = layout;
    if (comment !== undefined || hasQuotes(separator) || !areAsWritten(tagCells)) return false;
    if (sentenceStarts !== undefined) return false;
    const isPlaced = labelled ? tagIndex >= 0 : [-1, layout.columns.length - 1].includes(tagIndex);
    const others = layout.columns.filter((_, i) => i !== formIndex && i !== tagIndex);
    const isRight = others.length === new Set(others.filter(name => name !== '_')).size;
    const hasAll = columns.every(name => name === 'form' || others.includes(name));
    return isPlaced && (labelled || isRight) && hasAll && layout.columns.length <= 30;
  }

  /** @param options options with a layout for which `canRead` is true */
  constructor(texts: TextTable, options: RowReaderOptions) {
    const { memory } = texts;
    this.#texts = texts;
    this.#options = options;
    this.#isLabelled = options.labelled === true;
    this.#text = new Region(memory);
    this.#numbers = new Region(memory);
    this.#firsts = new Region(memory);
    this.#rows = new Region(memory);
    const { layout, columns } = options;
    const places = layout.columns.map((name, i) => {
      if (i === layout.formIndex) return 1;
      if (i === layout.tagIndex) return this.#isLabelled ? columns.length + 1 : filled;
      return columns.indexOf(name, 1) + 1;
    });
    this.#places = memory.allocate(4 * places.length);
    new Uint32Array(memory.buffer, this.#places, places.length).set(places);
    this.#reader = memory.allocate(4 * readerWords);
  }

  get columns(): TextColumns {
    return { offset: this.#numbers.offset, stride: this.#most + 1 };
  }

  get count(): number {
    return this.starts.length - 1 + this.#unlabelled;
  }

  /** Addresses, for the kernel, of the last rows read and of the ends of their sentences. */
  get rows(): { readonly places: number; readonly sentenceEnds: number } {
    return { places: this.#rows.offset, sentenceEnds: this.#firsts.offset + 4 };
  }

  /** Returns the number of bytes in the rows of the first sentences of the last read. */
  bytesOf(sentences: number): number {
    const rows = this.starts[sentences]!;
    if (rows === 0) return 0;
    const words = this.#rows.words(rowWords * rows);
    return words[rowWords * (rows - 1) + 1]! - words[0]!;
  }

  open(bytes: Uint8Array): void {
    layText(this.#text, bytes, 2);
    this.#length = bytes.length;
    this.position = 0;
    this.line = 0;
  }

  fits(bytes: Uint8Array): boolean {
    const { layout, maxTokens } = this.#options;
    const most = 2 * layout.columns.length * maxTokens;
    return bytes.length <= most || longestRecord(bytes, '\n\n') <= most;
  }

  labelled(): LabelledSentences {
    return { firsts: this.starts, ids: undefined };
  }

  read(): PlainEnding {
    // A row has at least as many bytes as cells; another row is begun at the end of the text.
    const rows = Math.floor(this.#length / this.#options.layout.columns.length) + 1;
    if (this.#isLabelled) return this.#readOn(rows);
    let ending = this.#readOn(fewRows);
    const most = plainTokens(this.#options.maxTokens);
    while (this.count === 0 && ending === 'full' && this.#most < most) {
      ending = this.#readOn(Math.min(4 * this.#most, most));
    }
    if (this.count > 0) return ending;
    if (ending === 'texts-full') {
      this.#texts.clear();
      ending = this.#readOn(this.#most);
    }
    // A single sentence may not fit.
    const isTooLong = this.count === 0 && (ending === 'full' || ending === 'texts-full');
    return isTooLong ? 'not-plain' : ending;
  }

  backTo(sentence: number): void {
    const first = this.starts[sentence]!;
    const [start] = this.#rows.words(rowWords * (first + 1)).subarray(rowWords * first);
    const position = start! - this.#text.offset;
    const passed = new Uint8Array(this.#texts.memory.buffer, start!, this.position - position);
    for (const byte of passed) if (byte === 10) this.line -= 1;
    this.position = position;
    this.starts = this.starts.subarray(0, sentence + 1);
  }

  #readOn(most: number): PlainEnding {
    const { memory } = this.#texts;
    const { layout, columns, maxLineBytes, maxTokens } = this.#options;
    this.#most = most;
    // Room for one more row, which is begun if there are too many.
    this.#numbers.reserve(4 * (columns.length + (this.#isLabelled ? 1 : 0)) * (most + 1));
    this.#firsts.reserve(4 * (most + 2));
    if (!this.#isLabelled) this.#rows.reserve(4 * rowWords * (most + 1));
    const text = this.#text.offset;
    const reader = new Uint32Array(memory.buffer, this.#reader, readerWords);
    reader.fill(0);
    reader.set([text + this.position, text + this.#length, maxLineBytes, this.#texts.offset]);
    const byTab = layout.separator === 'tab' ? 1 : 0;
    const tags = this.#isLabelled ? columns.length : none;
    reader.set([byTab, layout.columns.length, this.#places, tags], 4);
    reader.set([this.#numbers.offset, most + 1, this.#firsts.offset], 8);
    if (!this.#isLabelled) {
      const fewer = layout.leastCells === layout.columns.length ? 0 : layout.leastCells;
      const isSkipped = layout.columns.includes('_');
      reader.set([this.#rows.offset, isSkipped ? 0 : fewer, most, maxTokens], 13);
    }
    const ending = endings[recordFunctions(memory).readRows(this.#reader)]!;
    const [position, sentences, unlabelled] = [reader[0]!, reader[11]!, reader[12]!];
    const lines = reader[17]!;
    // Memory may grow here, which invalidates views of it.
    this.#texts.describe();
    this.position = Math.min(position - text, this.#length);
    this.line += lines;
    this.#unlabelled = unlabelled;
    this.starts = this.#firsts.words(sentences + 1).slice();
    return ending;
  }
}
