import type { Range } from '../../../../engine/core/sentence/document.js';
import { TextNumbers, type TextTable } from '../../../../engine/features/texts/text-table.js';
import { Region } from '../../../../engine/kernels/memory/region.js';
import { recordFunctions } from '../../../../engine/kernels/simd/record-functions.js';
import type { Tokenizer } from '../../../../engine/text/tokenizers/tokenizer.js';

/** Sizes, in words, of the data about a word and about a token; see assembly/texts/place-tokens.ts. */
const knownWords = 4;
const tokenWords = 3;
/** Maximum numbers of words held, and of their tokens. */
const mostWords = 2 ** 16;
const mostTokens = 2 ** 18;
const unknownTokens = 0xffffffff;

/** Sizes in words of the work order of `numberTexts`, and of a text in it. */
const orderWords = 6;
const textWords = 4;

/** Continuations that reveal whether the tokenizer looks ahead: words, a number, nothing. */
const following = ['a', '0', 'The', ''];

const fullStop = 46;

/**
 * A bounded cache of the tokens of words; the tokenizer sees each word once, in a text of new words. Texts are encoded
 * as within JSON strings. `clear` empties it, and so does `describe` if the token texts have been forgotten.
 */
export class KnownWords {
  readonly #texts: TextTable;
  readonly #tokenizer: Tokenizer;
  readonly #looksAhead: boolean;
  readonly #numbers: TextNumbers;
  readonly #tokens: number;
  readonly #order: number;
  readonly #heads: Region;
  readonly #ranges: Region;
  readonly #found: Region;
  readonly #places: Region;
  /** Address of the words' data, for the kernel. */
  readonly known: number;
  #described = 0;
  #used = 0;
  #cleared: number;

  constructor(texts: TextTable, tokenizer: Tokenizer) {
    const { memory } = texts;
    this.#texts = texts;
    this.#tokenizer = tokenizer;
    this.#looksAhead = tokenizer.words?.looksAhead === true;
    this.#numbers = new TextNumbers(memory, mostWords);
    this.known = memory.allocate(4 * mostWords * knownWords);
    this.#tokens = memory.allocate(4 * mostTokens * tokenWords);
    this.#order = memory.allocate(4 * orderWords);
    this.#heads = new Region(memory);
    this.#ranges = new Region(memory);
    this.#found = new Region(memory);
    this.#places = new Region(memory);
    this.#cleared = texts.cleared;
    this.clear();
  }

  /** Address of the word table, for the kernel. */
  get offset(): number {
    return this.#numbers.offset;
  }

  /** Forgets all words. */
  clear(): void {
    this.#numbers.clear(0);
    this.#described = 0;
    this.#used = 0;
    this.#cleared = this.#texts.cleared;
  }

  /** Whether token numbers of known words are outdated because their texts have been forgotten. */
  get isOutdated(): boolean {
    return this.#cleared !== this.#texts.cleared;
  }

  /**
   * Finds the tokens of the words added since the last call, whose original memory it reads again. Returns false if
   * there is no room, so that words must be forgotten.
   */
  describe(): boolean {
    const { size } = this.#numbers;
    const first = this.#described;
    if (size === first) return true;
    const notes = this.#numbers.notesFrom(first);
    const held = Buffer.from(this.#texts.memory.buffer);
    const found = new Readings();
    const words: string[] = [];
    const unsettled: number[] = [];
    for (let word = 0; word < size - first; word += 1) {
      const start = notes[3 * word]!;
      const end = start + notes[3 * word + 1]!;
      const raw = held.toString('utf8', start, end);
      words.push(raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw);
      const isFlat = raw.length === end - start && words[word]!.length === raw.length;
      found.heads.push(start, end, isFlat ? 1 : 0, 0);
      if (this.#looksAhead && held[end - 1] === fullStop) unsettled.push(word);
    }
    /** Two readings per word, if more text follows and at the end; undefined if they depend on further context. */
    const readings: (number | undefined)[] = [];
    for (const [word, tokens] of this.#tokensOf(words).entries()) {
      found.end(word, tokens);
      readings.push(word, word);
    }
    const looks = this.#tokensOf(
      unsettled.flatMap(word => following.flatMap(more => [words[word]!, more])),
    );
    for (const [i, word] of unsettled.entries()) {
      const last = found.again(word, this.#tokenizer(words[word]!));
      const at = 2 * following.length * i;
      const one = looks[at]!;
      const isOne = following.every((_, j) => areSame(one, looks[at + 2 * j]!));
      readings[2 * word] = isOne ? found.again(word, one) : undefined;
      readings[2 * word + 1] = last;
    }
    return this.#write(found, readings);
  }

  /** Tokenizes words separated by spaces. */
  #tokensOf(words: readonly string[]): readonly (readonly Range[])[] {
    const all = this.#tokenizer(`${words.join(' ')} `);
    let next = 0;
    let start = 0;
    return words.map(word => {
      const own: Range[] = [];
      for (; next < all.length && all[next]![0] < start + word.length; next += 1) {
        own.push([all[next]![0] - start, all[next]![1] - start]);
      }
      start += word.length + 1;
      return own;
    });
  }

  #write({ heads, ranges }: Readings, readings: readonly (number | undefined)[]): boolean {
    const tokens = ranges.length / 2;
    if (this.#used + tokens > mostTokens) return false;
    this.#heads.write(Uint32Array.from(heads));
    this.#ranges.write(Uint32Array.from(ranges));
    this.#found.reserve(4 * tokens);
    this.#places.reserve(8 * tokens);
    const { memory } = this.#texts;
    const count = heads.length / textWords;
    const order = [this.#texts.offset, this.#heads.offset, count, this.#ranges.offset];
    order.push(this.#found.offset, this.#places.offset);
    new Uint32Array(memory.buffer, this.#order, orderWords).set(order);
    const ending = recordFunctions(memory).numberTexts(this.#order);
    if (ending === 1) this.#texts.clear();
    if (ending !== 0) return false;
    const entries = new Uint32Array(
      memory.buffer,
      this.#tokens + 4 * tokenWords * this.#used,
      tokenWords * tokens,
    );
    const numbers = this.#found.words(tokens);
    const places = this.#places.words(2 * tokens);
    for (let reading = 0, token = 0; reading < count; reading += 1) {
      for (; token < heads[reading * textWords + 3]!; token += 1) {
        const from = places[2 * token]! - heads[reading * textWords]!;
        const [start, end] = [ranges[2 * token]!, ranges[2 * token + 1]!];
        entries[tokenWords * token] = from | (places[2 * token + 1]! << 16);
        entries[tokenWords * token + 1] = numbers[token]!;
        entries[tokenWords * token + 2] = start | ((end - start) << 16);
      }
    }
    this.#note(heads, readings);
    this.#used += tokens;
    this.#described = this.#numbers.size;
    // Memory may grow here, which invalidates views of it.
    this.#texts.describe();
    return true;
  }

  /** Records the positions of the readings' tokens. */
  #note(heads: readonly number[], readings: readonly (number | undefined)[]): void {
    const { buffer } = this.#texts.memory;
    const known = new Uint32Array(
      buffer,
      this.known + 4 * knownWords * this.#described,
      2 * readings.length,
    );
    for (const [i, reading] of readings.entries()) {
      const first = reading === undefined ? 0 : (heads[(reading - 1) * textWords + 3] ?? 0);
      const end = reading === undefined ? 0 : heads[reading * textWords + 3]!;
      known[2 * i] = this.#tokens + 4 * tokenWords * (this.#used + first);
      known[2 * i + 1] = reading === undefined ? unknownTokens : end - first;
    }
  }
}

/** Tokens of words, for `numberTexts`: each word once in order, some of them again. */
class Readings {
  /** Head of each reading: (address, end, whether each byte is a unit, end of its tokens). */
  readonly heads: number[] = [];
  /** (start, end) of each token. */
  readonly ranges: number[] = [];

  /** Sets the tokens of a started reading; those of earlier readings must be set before. */
  end(reading: number, tokens: readonly Range[]): void {
    for (const [from, to] of tokens) this.ranges.push(from, to);
    this.heads[reading * textWords + 3] = this.ranges.length / 2;
  }

  /** Adds another reading of a word; returns its number. */
  again(word: number, tokens: readonly Range[]): number {
    const at = word * textWords;
    const reading = this.heads.length / textWords;
    this.heads.push(this.heads[at]!, this.heads[at + 1]!, this.heads[at + 2]!, 0);
    this.end(reading, tokens);
    return reading;
  }
}

function areSame(some: readonly Range[], others: readonly Range[]): boolean {
  return (
    some.length === others.length &&
    some.every(([start, end], i) => start === others[i]![0] && end === others[i]![1])
  );
}
