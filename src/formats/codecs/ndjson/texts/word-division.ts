import { Region } from '../../../../engine/kernels/memory/region.js';
import { recordFunctions } from '../../../../engine/kernels/simd/record-functions.js';
import { segmenter } from '../../../../engine/text/sentences/segmenter.js';
import { sentenceClasses } from '../../../../engine/text/sentences/sentence-classes.js';
import {
  closesSentence,
  goesOn,
  type SentenceRules,
  sentenceRules,
} from '../../../../engine/text/sentences/sentence-splitter.js';
import { regexTokenizer } from '../../../../engine/text/tokenizers/regex-tokenizer.js';
import { KnownWords } from './known-words.js';
import { type DividedTexts, fewTokens, nothingDivided, type TextDivision } from './text-tokens.js';

/** Sizes of the work orders in words; see assembly/texts/. */
const divideWords = 12;
const placeWords = 12;

const wordBytes = 16;
const gapWords = 5;

/** Maximum length in bytes of a cached word. */
const longestWord = 256;

/** Maximum length in bytes of texts split at once: finding their words takes ten times as much memory. */
const mostTextBytes = 2 ** 26;

/** Code for splitting that ended because there was no room for a new word. */
const wordsFull = 2;

/** Number of bytes before a gap that contain at least as many units as `goesOn` examines. */
const looksBack = 100;

/**
 * Splits the texts of records whose tokens are determined by their words, in the kernel: most words are cached and cost
 * one lookup. Sentences end by the Unicode rules, which the kernel implements too, unless the sentence continues
 * (`goesOn`).
 */
export class WordDivision {
  readonly #given: TextDivision;
  readonly #known: KnownWords;
  readonly #isAscii: boolean;
  readonly #splits: boolean;
  readonly #rules: SentenceRules;
  /** Address of the character classes; 0 if each text is one sentence. */
  readonly #classes: number = 0;
  readonly #divideOrder: number;
  readonly #placeOrder: number;
  readonly #words: Region;
  readonly #ends: Region;
  readonly #records: Region;
  readonly #tokenEnds: Region;
  readonly #gaps: Region;

  /**
   * Creates a division; undefined if the tokenizer does not work by words, or the language has custom sentence rules.
   */
  static of(given: TextDivision): WordDivision | undefined {
    const { tokenizer = regexTokenizer(), sentences = true, locale } = given.tokenization;
    if (tokenizer.words === undefined) return undefined;
    const known = new KnownWords(given.texts, tokenizer);
    if (!sentences) return new WordDivision(given, known, tokenizer.words.ascii === true);
    const classes = sentenceClasses(segmenter('sentence', locale));
    if (classes === undefined) return undefined;
    return new WordDivision(given, known, tokenizer.words.ascii === true, classes);
  }

  private constructor(
    given: TextDivision,
    known: KnownWords,
    isAscii: boolean,
    classes?: Uint8Array,
  ) {
    const { memory } = given.texts;
    this.#given = given;
    this.#known = known;
    this.#isAscii = isAscii;
    this.#splits = classes !== undefined;
    this.#rules = sentenceRules(given.tokenization);
    if (classes !== undefined) {
      this.#classes = memory.allocate(classes.length);
      new Uint8Array(memory.buffer, this.#classes, classes.length).set(classes);
    }
    this.#divideOrder = memory.allocate(4 * divideWords);
    this.#placeOrder = memory.allocate(4 * placeWords);
    this.#words = new Region(memory);
    this.#ends = new Region(memory);
    this.#records = new Region(memory);
    this.#tokenEnds = new Region(memory);
    this.#gaps = new Region(memory);
  }

  /**
   * Finds the tokens of up to `count` of the last records read, beginning with the first; none if their words do not
   * determine the tokens.
   */
  divide(count: number): DividedTexts {
    const [start, end] = this.#given.records.textOf(0);
    if (end - start > mostTextBytes) return nothingDivided;
    // A second attempt if words had to be forgotten.
    return this.#divide(count) ?? this.#divide(count) ?? nothingDivided;
  }

  #divide(count: number): DividedTexts | undefined {
    const { texts } = this.#given;
    if (this.#known.isOutdated) this.#known.clear();
    const [found, ending] = this.#findWords(count);
    if (ending === wordsFull && found === 0) {
      this.#known.clear();
      return undefined;
    }
    if (!this.#known.describe()) {
      this.#known.clear();
      return undefined;
    }
    const { countTokens, placeTokens } = recordFunctions(texts.memory);
    this.#tokenEnds.reserve(4 * count);
    const most = fewTokens;
    this.#writePlaces(found, most);
    const records = countTokens(this.#placeOrder);
    if (records === 0) return nothingDivided;
    const ends = this.#tokenEnds.words(records);
    const tokens = ends[records - 1]!;
    if (tokens > this.#given.mostTokens) return nothingDivided;
    this.#given.tokens.reserve(tokens);
    this.#gaps.reserve(4 * gapWords * tokens);
    this.#writePlaces(records, most);
    placeTokens(this.#placeOrder);
    return this.#endSentences(records);
  }

  /** Returns the number of records that were split, and why there are no more. */
  #findWords(count: number): readonly [records: number, ending: number] {
    const { records, texts } = this.#given;
    const { memory } = texts;
    const [start, end] = records.textOf(0);
    // A word has at least one byte, and so does the white space or text after it.
    const words = Math.max(2 * fewTokens, Math.ceil((end - start) / 2) + 1);
    this.#words.reserve(wordBytes * words);
    const [, lastEnd] = records.textOf(count - 1);
    this.#ends.reserve(2 * (lastEnd - start) + 8);
    this.#records.reserve(8 * count);
    const order = new Uint32Array(memory.buffer, this.#divideOrder, divideWords);
    order.set([this.#known.offset, records.offset, count, this.#words.offset]);
    order.set([this.#words.offset + wordBytes * words, this.#ends.offset, this.#classes], 4);
    order.set([this.#records.offset, longestWord, this.#isAscii ? 1 : 0, fewTokens, 0], 7);
    const found = recordFunctions(memory).divideTexts(this.#divideOrder);
    return [found, new Uint32Array(memory.buffer, this.#divideOrder, divideWords)[11]!];
  }

  #writePlaces(records: number, most: number): void {
    const { tokens, texts } = this.#given;
    const order = new Uint32Array(texts.memory.buffer, this.#placeOrder, placeWords);
    order.set([this.#words.offset, this.#records.offset, records, this.#ends.offset]);
    order.set([this.#known.known, tokens.numbers.offset, tokens.places.offset], 4);
    order.set([tokens.ranges.offset, this.#tokenEnds.offset, this.#gaps.offset, 0, most], 7);
  }

  /** Ends sentences at the gaps between them. */
  #endSentences(records: number): DividedTexts {
    const { memory } = this.#given.texts;
    const order = new Uint32Array(memory.buffer, this.#placeOrder, placeWords);
    const gaps = this.#gaps.words(this.#splits ? gapWords * order[10]! : 0);
    const ends = this.#tokenEnds.words(records);
    const held = Buffer.from(memory.buffer);
    const starts = [0];
    const firstSentences = [0];
    let gap = 0;
    for (let record = 0; record < records; record += 1) {
      const end = ends[record]!;
      for (; gap < gaps.length && gaps[gap]! < end; gap += gapWords) {
        const token = gaps[gap]!;
        const meaning = gaps[gap + 4] === 1 ? 'end' : this.#meaningOf(held, record, gaps, gap);
        if (meaning === 'end') starts.push(token);
        if (meaning === 'closing') {
          // The end is at a gap that the kernel does not know.
          starts.length = firstSentences[record]! + 1;
          return this.#divided(record, starts, firstSentences);
        }
      }
      starts.push(end);
      const first = firstSentences[record]!;
      if (this.#isTooLong(starts, first)) {
        starts.length = first + 1;
        return this.#divided(record, starts, firstSentences);
      }
      firstSentences.push(starts.length - 1);
    }
    return this.#divided(records, starts, firstSentences);
  }

  #divided(records: number, starts: number[], firstSentences: number[]): DividedTexts {
    const { tokens, records: all } = this.#given;
    const ends = this.#tokenEnds.words(records);
    for (let record = 0; record < records; record += 1) all.setTokens(record, ends[record]!);
    tokens.endSentences(starts);
    return { records, ending: 'full', starts, firstSentences };
  }

  /** Whether any sentence from index `from` on has too many tokens. */
  #isTooLong(starts: readonly number[], from: number): boolean {
    for (let s = from; s + 1 < starts.length; s += 1) {
      if (starts[s + 1]! - starts[s]! > this.#given.maxTokens) return true;
    }
    return false;
  }

  #meaningOf(held: Buffer, record: number, gaps: Uint32Array, gap: number): GapMeaning {
    const [first, last] = this.#given.records.textOf(record);
    const [, before, after, end] = gaps.subarray(gap, gap + gapWords) as unknown as number[];
    let from = Math.max(first, before! - looksBack);
    // Moves to the start of a character.
    while ((held[from]! & 0xc0) === 0x80) from += 1;
    const to = Math.min(last, charactersEnd(held, end!, 2));
    let text = held.toString('latin1', from, to);
    if (/^[^\\\u0080-\u00ff]*$/.test(text)) {
      return this.#meaning(text, before! - from, after! - from, end! - from);
    }
    if (text.includes('\\')) from = first;
    const units = (stop: number) => stringOf(held, from, stop).length;
    text = stringOf(held, from, to);
    return this.#meaning(text, units(before!), units(after!), units(end!));
  }

  #meaning(text: string, before: number, after: number, end: number): GapMeaning {
    if (closesSentence(text, [after, end], before, this.#rules)) return 'closing';
    return goesOn(text, before, after, end, this.#rules) ? 'none' : 'end';
  }
}

/** The meaning of a gap at which the Unicode rules end a sentence. */
type GapMeaning = 'end' | 'none' | 'closing';

/** Returns the position after a number of characters of a JSON string without `\u`. */
function charactersEnd(held: Buffer, at: number, count: number): number {
  let end = at;
  for (let i = 0; i < count; i += 1) {
    end += held[end] === 0x5c ? 2 : 1;
    while ((held[end]! & 0xc0) === 0x80) end += 1;
  }
  return end;
}

function stringOf(held: Buffer, from: number, end: number): string {
  const raw = held.toString('utf8', from, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}
