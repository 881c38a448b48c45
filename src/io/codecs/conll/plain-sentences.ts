import { isUtf8 } from 'node:buffer';
import { columnNumbers } from '../../../features/texts/column-numbers.js';
import type { TextTable } from '../../../features/texts/text-table.js';
import type { TextColumns } from '../../../features/texts/text-work.js';
import { Region } from '../../../kernels/memory/region.js';
import { recordFunctions } from '../../../kernels/simd/record-functions.js';
import { hasMarkedLine } from '../../lines/line-bytes.js';
import { layText, longestRecord, type PlainSentenceReader } from '../plain-reader.js';
import { areAsWritten } from '../tag-cells.js';
import { type ConllLayout, hasQuotes } from './conll-layout.js';

/** Words of a reader; see assembly/records/read-rows.ts. */
const readerWords = 18;

/** Why reading ended. */
const endings = ['end', 'not-plain', 'texts-full'] as const;

export interface PlainSentencesOptions {
  readonly layout: ConllLayout;
  /** Columns that have numbers, by their places there: the tokens first, the tags last. */
  readonly columns: readonly string[];
  readonly maxLineBytes: number;
  /** A text with a sentence that may have more is not plain. */
  readonly maxTokens: number;
}

/**
 * Reads labelled sentences in columns into numbers of texts, without an object for any of them. It takes what
 * `PlainRows` takes where all rows have a tag; all else, right or wrong, is left to those who read any sentence.
 */
export class PlainSentences implements PlainSentenceReader {
  readonly #texts: TextTable;
  readonly #options: PlainSentencesOptions;
  readonly #text: Region;
  readonly #numbers: Region;
  readonly #firsts: Region;
  readonly #places: number;
  readonly #reader: number;
  #mostTokens = 0;
  firsts = new Uint32Array(1);
  count = 0;
  /** Columns have no ids, and blank lines end sentences. */
  readonly ids = undefined;
  readonly blank = 0;

  /** Whether sentences with these columns may be plain. */
  static canRead({
    columns,
    comment,
    separator,
    tagCells,
    formIndex,
    tagIndex,
  }: ConllLayout): boolean {
    const isKnown = areAsWritten(tagCells);
    const asPlain = comment === undefined && !hasQuotes(separator) && isKnown;
    return asPlain && tagIndex >= 0 && tagIndex !== formIndex && columns.length <= 30;
  }

  /** @param options with a layout that `canRead` */
  constructor(texts: TextTable, options: PlainSentencesOptions) {
    const { memory } = texts;
    this.#texts = texts;
    this.#options = options;
    this.#text = new Region(memory);
    this.#numbers = new Region(memory);
    this.#firsts = new Region(memory);
    const { layout, columns } = options;
    const { formIndex, tagIndex } = layout;
    const places = layout.columns.map((name, i) => {
      if (i === formIndex) return 1;
      if (i === tagIndex) return columns.length;
      return columns.indexOf(name, 1) + 1;
    });
    this.#places = memory.allocate(4 * places.length);
    new Uint32Array(memory.buffer, this.#places, places.length).set(places);
    this.#reader = memory.allocate(4 * readerWords);
  }

  get columns(): TextColumns {
    return { offset: this.#numbers.offset, stride: this.#mostTokens };
  }

  numbers(column: number): Uint32Array {
    return columnNumbers(this.#texts.memory, this.columns, column, this.firsts.at(-1)!);
  }

  read(bytes: Uint8Array): boolean {
    // A byte order mark is not part of a token.
    if (hasMarkedLine(bytes) || !isUtf8(bytes)) return false;
    const { layout, maxTokens } = this.#options;
    const most = 2 * layout.columns.length * maxTokens;
    if (bytes.length > most && longestRecord(bytes, '\n\n') > most) return false;
    this.#open(bytes);
    let ending = this.#readAll(bytes.length);
    if (ending === 'texts-full') {
      this.#texts.clear();
      ending = this.#readAll(bytes.length);
    }
    return ending === 'end';
  }

  #open(bytes: Uint8Array): void {
    const { columns, layout } = this.#options;
    layText(this.#text, bytes, 2);
    // A row has as many bytes as cells at least; one more is begun where the text ends.
    this.#mostTokens = Math.floor(bytes.length / layout.columns.length) + 2;
    this.#numbers.reserve(4 * columns.length * this.#mostTokens);
    this.#firsts.reserve(4 * (this.#mostTokens + 1));
  }

  #readAll(length: number): (typeof endings)[number] {
    const { memory } = this.#texts;
    const { columns, layout, maxLineBytes } = this.#options;
    const text = this.#text.offset;
    const reader = new Uint32Array(memory.buffer, this.#reader, readerWords);
    reader.fill(0);
    reader.set([text, text + length, maxLineBytes, this.#texts.offset]);
    const byTab = layout.separator === 'tab' ? 1 : 0;
    reader.set([byTab, layout.columns.length, this.#places, columns.length - 1], 4);
    reader.set([this.#numbers.offset, this.#mostTokens, this.#firsts.offset, 0, 0], 8);
    const ending = endings[recordFunctions(memory).readRows(this.#reader)]!;
    const [sentences, unlabelled] = [reader[11]!, reader[12]!];
    // Memory may grow here, which invalidates views of it.
    this.#texts.describe();
    this.firsts = this.#firsts.words(sentences + 1).slice();
    this.count = sentences + unlabelled;
    return ending;
  }
}
