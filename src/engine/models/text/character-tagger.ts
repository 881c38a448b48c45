import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Document, Range } from '../../core/sentence/document.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { CharacterDivision } from '../../text/characters/character-division.js';
import { dividerOf, type TextDivision } from '../../text/divide-text.js';
import { placeOf } from '../../text/tags/chunk-boundaries.js';
import type { StoredTokenizer } from '../../text/tokenizers/bundled-tokenizer.js';
import type { DividedWords, Tokenizer } from '../../text/tokenizers/tokenizer.js';
import { Decoder } from '../decoding/decoder.js';
import { StringDecoder } from '../decoding/string-decoder.js';
import { encodeInOrder } from '../learning/encode-in-order.js';
import type { Model, ModelTokenizer } from '../model.js';
import type { ModelSpec } from '../model-spec.js';

/** Number of character sentences decoded at a time. */
const sentencesAtATime = 64;

/**
 * Finds the words of a text with a tagger whose tokens are characters and whose tags mark words: B,
 * I, E and S, or spans of any scheme and structure. A character outside all spans is a word.
 */
export class CharacterTagger implements ModelTokenizer {
  readonly model: Model;
  readonly stored: StoredTokenizer;
  readonly #divide: ReturnType<typeof dividerOf>;
  #decoder: Decoder | undefined;

  /** @param model the frozen model of `stored.bytes` */
  constructor(model: Model, stored: StoredTokenizer) {
    this.model = model;
    this.stored = stored;
    const division = model.spec.tokenize as unknown as TextDivision;
    // In training, each record is one sentence of characters; a text has several.
    this.#divide = dividerOf({ ...division, sentences: true });
  }

  readonly tokenizer: Tokenizer = Object.assign(
    (text: string) => this.divide(text).offsets as Range[],
    { divide: (text: string) => this.divide(text) },
  );

  /**
   * Returns the words and sentences of a text; words are found separately in each sentence.
   *
   * @throws TagstreamError `numeric`, `unknown-column`
   */
  divide(text: string): DividedWords {
    const sentences = this.characters({ text });
    const found = new CharacterDivision();
    const step = this.#looksFurther ? sentences.length : sentencesAtATime;
    for (let from = 0; from < sentences.length; from += step) {
      const part = sentences.slice(from, from + step);
      for (const [s, tags] of this.#tagsOf(part).entries())
        found.addTagged(part[s]!.offsets!, tags);
    }
    return found;
  }

  characters(document: Document): Sentence[] {
    const { tokens, offsets, sentences } = this.#divide(document.text ?? '');
    // A document without characters is one empty sentence.
    const ranges: readonly Range[] = sentences.length === 0 ? [[0, 0]] : sentences;
    return ranges.map(([start, end], index) => ({
      tokens: tokens.slice(start, end),
      offsets: offsets.slice(start, end),
      columns: {},
      document,
      part: { index, count: ranges.length, start },
    }));
  }

  /** Whether it uses other sentences of a text. */
  get #looksFurther(): boolean {
    const { readsDocuments, readsPredictions } = this.model.extractor;
    return readsDocuments || readsPredictions;
  }

  #tagsOf(sentences: readonly Sentence[]): readonly (readonly string[])[] {
    const { model } = this;
    const found = this.#looksFurther ? undefined : StringDecoder.of(model)?.decode(sentences);
    if (found !== undefined) return found;
    this.#decoder ??= new Decoder(model.kernel, model);
    model.reserve();
    return encodeInOrder(model, sentences).map(sentence => {
      const batch = packMinibatch([sentence]);
      const { labels, rejected } = this.#decoder!.decode(model.parameters, batch);
      const impossible = rejected?.get(0);
      if (impossible !== undefined) throw impossible;
      return model.labels.tagsOf(labels);
    });
  }
}

/**
 * Returns whether a model tags characters and its tags mark words: scheme letters with or without types, including
 * `B` and `I` alone.
 */
export function tagsCharacters({ tokenize }: ModelSpec, tags: readonly string[]): boolean {
  return (
    tokenize?.tokenizer === 'characters' &&
    tags.some(tag => placeOf(tag) === 'first') &&
    tags.every(tag => tag === 'O' || placeOf(tag) !== undefined)
  );
}
