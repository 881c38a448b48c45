import type { TextTable } from '../../../../engine/features/texts/text-table.js';
import type { TextColumns } from '../../../../engine/features/texts/text-work.js';
import type { TokenizeOptions } from '../../../../engine/operators/tokenize.js';
import { type PlainEnding, type PlainReader, plainTextTokens } from '../../plain-reader.js';
import type { PlainRecords } from '../plain-records.js';
import { StringDivision } from './string-division.js';
import {
  type DividedTexts,
  nothingDivided,
  type TextDivision,
  TextTokens,
  type TokenPlaces,
} from './text-tokens.js';
import { WordDivision } from './word-division.js';

/** Maximum number of records processed as strings at a time. */
const mostStrings = 512;

/**
 * Tokenizes the texts of plain NDJSON records, `{"id", "text"}`, into numbers of texts: by known words if these
 * determine the tokens (`WordDivision`), otherwise record by record as strings (`StringDivision`).
 */
export class PlainTexts implements PlainReader {
  readonly #records: PlainRecords;
  readonly #tokens: TextTokens;
  readonly #given: TextDivision;
  /** Division by words, created with the first text; undefined if texts cannot be split by words. */
  #words: WordDivision | undefined;
  #strings: StringDivision | undefined;
  #count = 0;
  /** Number of records to process as strings after one whose words do not determine its tokens. */
  #asStrings = 1;
  starts = new Uint32Array(1);
  /** First sentence of each record, followed by the number of sentences. */
  firstSentences: readonly number[] = [0];

  /**
   * @param tokenization settings for tokens and sentences, as in the operator `tokenize`
   * @param limits maximum number of tokens per sentence, and whether sentences are decoded piece by piece
   */
  constructor(
    records: PlainRecords,
    texts: TextTable,
    tokenization: TokenizeOptions,
    { maxTokens, inPieces }: { readonly maxTokens: number; readonly inPieces: boolean },
  ) {
    const mostTokens = plainTextTokens(maxTokens, inPieces);
    const tokens = new TextTokens(texts.memory);
    this.#records = records;
    this.#tokens = tokens;
    this.#given = { records, texts, tokens, tokenization, maxTokens, mostTokens };
  }

  /** Number of records read last. */
  get count(): number {
    return this.#count;
  }

  get blank(): number {
    return this.#records.blank;
  }

  /** Addresses of the tokens' text numbers. */
  get columns(): TextColumns {
    return this.#tokens.columns;
  }

  get tokenPlaces(): TokenPlaces {
    return this.#tokens.tokenPlaces;
  }

  /** Returns to one of the last records read, as if it and later records had not been read. */
  backTo(record: number): void {
    this.#records.backTo(record);
    this.#count = record;
    this.firstSentences = this.firstSentences.slice(0, record + 1);
    this.starts = this.starts.subarray(0, this.firstSentences[record]! + 1);
  }

  /** Continues at the next records, like `PlainRecords.read`. */
  read(): PlainEnding {
    const ending = this.#records.read('texts');
    const { count } = this.#records;
    const found = this.#divide(count);
    this.#count = found.records;
    this.starts = Uint32Array.from(found.starts);
    this.firstSentences = found.firstSentences;
    if (found.records === count) return ending;
    this.#records.backTo(found.records);
    return found.ending;
  }

  #divide(count: number): DividedTexts {
    if (count === 0) return nothingDivided;
    if (this.#strings === undefined) {
      this.#strings = new StringDivision(this.#given);
      this.#words = WordDivision.of(this.#given);
    }
    if (this.#words === undefined) return this.#strings.divide(count);
    const found = this.#words.divide(count);
    if (found.records > 0) {
      this.#asStrings = 1;
      return found;
    }
    const most = Math.min(count, this.#asStrings);
    this.#asStrings = Math.min(2 * this.#asStrings, mostStrings);
    const others = this.#strings.divide(most);
    return others.records < most || most === count ? others : { ...others, ending: 'full' };
  }
}
