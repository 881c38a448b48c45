import { TagstreamError } from '../../../../engine/core/errors.js';
import type { Range } from '../../../../engine/core/sentence/document.js';
import type { TextTable } from '../../../../engine/features/texts/text-table.js';
import { Region } from '../../../../engine/kernels/memory/region.js';
import { recordFunctions } from '../../../../engine/kernels/simd/record-functions.js';
import { regexTokenizer } from '../../../../engine/text/tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../../../../engine/text/tokenizers/tokenizer.js';
import { type FoundWords, sentencesOf, wordsOf } from '../../../../engine/text/words-of.js';
import type { PlainEnding } from '../../plain-reader.js';
import type { PlainRecords } from '../plain-records.js';
import {
  type DividedTexts,
  fewTokens,
  nothingDivided,
  type TextDivision,
  type TextTokens,
} from './text-tokens.js';

/** Size of a work order in words; see assembly/records/number-texts.ts. */
const orderWords = 6;
const textWords = 4;

/** Number of spare bytes after a text, which the kernel may read. */
const padding = 64;

/** Escapes that JSON writers do not usually produce. */
const unusual = /\\[u/]/;

/**
 * Splits the texts of records with any tokenizer, as strings, and maps the tokens to byte positions in the record. A
 * text that cannot be tokenized in this way is not plain, and neither is one with an overlong sentence.
 */
export class StringDivision {
  readonly #records: PlainRecords;
  readonly #texts: TextTable;
  readonly #tokens: TextTokens;
  readonly #tokenizer: Tokenizer;
  readonly #sentencesOf: (text: string, found: FoundWords) => readonly Range[];
  readonly #maxTokens: number;
  readonly #mostTokens: number;
  readonly #order: number;
  readonly #heads: Region;
  readonly #rewritten: Region;

  constructor({ records, texts, tokens, tokenization, maxTokens, mostTokens }: TextDivision) {
    const { memory } = texts;
    const { tokenizer = regexTokenizer(), sentences = true, locale, abbreviations } = tokenization;
    this.#records = records;
    this.#texts = texts;
    this.#tokens = tokens;
    this.#tokenizer = tokenizer;
    this.#sentencesOf = (text, found) =>
      sentences ? sentencesOf(found, text, { locale, abbreviations }) : [[0, found.offsets.length]];
    this.#maxTokens = maxTokens;
    this.#mostTokens = mostTokens;
    this.#order = memory.allocate(4 * orderWords);
    this.#heads = new Region(memory);
    this.#rewritten = new Region(memory);
  }

  /** Finds the tokens of up to `count` of the last records read, beginning with the first. */
  divide(count: number): DividedTexts {
    const found = this.#divide(count);
    return found.records === 0 || this.#number(found) ? found : nothingDivided;
  }

  /** Returns the tokens and sentences of the first records. */
  #divide(count: number): Division {
    const division: Division = {
      ...{ records: 0, ending: 'not-plain', ranges: [], starts: [0], firstSentences: [0] },
      ...{ texts: [], rewritten: [] },
    };
    const { ranges, starts, firstSentences } = division;
    const held = Buffer.from(this.#texts.memory.buffer);
    let rewrittenBytes = 0;
    for (let record = 0; record < count; record += 1) {
      const [start, end] = this.#records.textOf(record);
      const raw = held.toString('utf8', start, end);
      const isEscaped = raw.includes('\\');
      const text = isEscaped ? (JSON.parse(`"${raw}"`) as string) : raw;
      const words = this.#wordsOf(text);
      if (words === undefined) return division;
      const tokens = words.offsets;
      const before = ranges.length / 2;
      if (record > 0 && before + tokens.length > fewTokens) {
        division.ending = 'full';
        return division;
      }
      const sentences = this.#sentencesOf(text, words);
      if (sentences.some(([from, to]) => to - from > this.#maxTokens)) return division;
      for (const [from, to] of tokens) ranges.push(from, to);
      for (const [, to] of sentences) starts.push(before + to);
      firstSentences.push(starts.length - 1);
      const isFlat = !isEscaped && raw.length === end - start ? 1 : 0;
      if (isEscaped && unusual.test(raw)) {
        const bytes = Buffer.from(JSON.stringify(text).slice(1, -1));
        division.rewritten.push(bytes);
        // The address is known once all rewritten texts are laid out.
        division.texts.push(~rewrittenBytes, rewrittenBytes + bytes.length);
        rewrittenBytes += bytes.length;
      } else division.texts.push(start, end);
      division.texts.push(isFlat, ranges.length / 2);
      division.records += 1;
    }
    return division;
  }

  /** Returns the words of a text; undefined if there are none, or they are invalid. */
  #wordsOf(text: string): FoundWords | undefined {
    const most = this.#mostTokens;
    try {
      const found = wordsOf(this.#tokenizer, text, most);
      // Multiword tokens need a separate member, and deviating forms have no position in the text's bytes.
      if ((found.multiword?.length ?? 0) > 0) return undefined;
      const { length } = found.offsets;
      return length === 0 || length > most ? undefined : found;
    } catch (thrown) {
      if (thrown instanceof TagstreamError) return undefined;
      throw thrown;
    }
  }

  /** Finds the texts of the tokens; false if there is no room for them, or if the tokenizer splits characters. */
  #number({ ranges, starts, texts, rewritten, records }: Division): boolean {
    const tokens = ranges.length / 2;
    this.#tokens.reserve(tokens);
    this.#tokens.ranges.write(Uint32Array.from(ranges));
    this.#tokens.endSentences(starts);
    const laid = this.#lay(texts, rewritten);
    this.#heads.write(laid);
    for (let record = 0; record < records; record += 1) {
      this.#records.setTokens(record, laid[record * textWords + 3]!);
    }
    const { memory } = this.#texts;
    const order = [this.#texts.offset, this.#heads.offset, records, this.#tokens.ranges.offset];
    order.push(this.#tokens.numbers.offset, this.#tokens.places.offset);
    new Uint32Array(memory.buffer, this.#order, orderWords).set(order);
    const { numberTexts } = recordFunctions(memory);
    let ending = numberTexts(this.#order);
    if (ending === 1) {
      this.#texts.clear();
      ending = numberTexts(this.#order);
    }
    // Includes texts that were added before room ran out.
    this.#texts.describe();
    return ending === 0;
  }

  /** Writes texts with unusual escapes in JSON's usual form, for the kernel. */
  #lay(texts: readonly number[], rewritten: readonly Uint8Array[]): Uint32Array {
    if (rewritten.length > 0) {
      const bytes = Buffer.concat(rewritten);
      this.#rewritten.reserve(bytes.length + padding);
      new Uint8Array(this.#texts.memory.buffer, this.#rewritten.offset).set(bytes);
    }
    const { offset } = this.#rewritten;
    const laid = new Uint32Array(texts.length);
    for (let i = 0; i < texts.length; i += textWords) {
      const isRewritten = texts[i]! < 0;
      laid[i] = isRewritten ? offset + ~texts[i]! : texts[i]!;
      laid[i + 1] = isRewritten ? offset + texts[i + 1]! : texts[i + 1]!;
      laid[i + 2] = texts[i + 2]!;
      laid[i + 3] = texts[i + 3]!;
    }
    return laid;
  }
}

/** Results of records under construction. */
interface Division {
  records: number;
  /** Why the next record was not included. */
  ending: PlainEnding;
  /** (start, end) of each token in UTF-16 units of its text. */
  readonly ranges: number[];
  readonly starts: number[];
  readonly firstSentences: number[];
  /**
   * For each record, its text's address (or ~index among the rewritten ones) and end, whether the text is flat, and the
   * end of its tokens.
   */
  readonly texts: number[];
  readonly rewritten: Uint8Array[];
}
