import type { Document, Range } from '../../../core/sentence/document.js';
import { placeTokens } from '../../../text/place-tokens.js';
import { type SurfaceWords, spacesIn, surfaceWords } from './surface-words.js';

const emptyLine = /\n[^\S\n]*\n/;

/** A text with its tokens and sentences, as a treebank has them. */
export interface GoldText {
  readonly text: string;
  /**
   * UTF-16 units of each word that is a piece of the text. A multiword token whose words make it up, as `do` and `n't`, is
   * its words; another one, as `du`, is one.
   */
  readonly offsets: readonly Range[];
  /** Those of `offsets` that continue the multiword token of the one before. */
  readonly continued: ReadonlySet<number>;
  /** Those of `offsets` each. */
  readonly sentences: readonly Range[];
  /** The words of `offsets` that are multiword tokens of other words. */
  readonly words: ReadonlyMap<number, readonly string[]>;
}

/**
 * The text that sentences of CoNLL-U were taken from: tokens with the spaces that MISC says follow them (`SpaceAfter=No`, `SpacesAfter`, and
 * `SpacesBefore` ahead of the first), sentences one after the
 * other, an empty line before each paragraph (`newpar`) and document (`newdoc`). Records of other formats are a paragraph each,
 * if they have a text in which their tokens follow each other.
 */
export class RawText {
  #text = '';
  readonly #offsets: Range[] = [];
  readonly #continued = new Set<number>();
  readonly #sentences: Range[] = [];
  readonly #words = new Map<number, readonly string[]>();
  /** Whether a space comes before the next token. */
  #isSpaced = false;
  /** Whether an empty line comes before it. */
  #isBroken = false;

  add(document: Document): void {
    const { raw, format } = document;
    if (raw !== undefined && format?.startsWith('conllu ') === true) this.#addRows(raw);
    else this.#addOffsets(document);
  }

  /** What was added so far. */
  get gold(): GoldText {
    return {
      text: this.#text,
      offsets: this.#offsets,
      continued: this.#continued,
      sentences: this.#sentences,
      words: this.#words,
    };
  }

  #addRows(raw: string): void {
    if (/^# *new(?:par|doc)\b/m.test(raw)) this.#breakParagraph();
    const begin = this.#offsets.length;
    for (const token of surfaceWords(raw)) this.#addToken(token);
    if (this.#offsets.length > begin) this.#sentences.push([begin, this.#offsets.length]);
  }

  #addToken({ form, words, isSpaced, misc }: SurfaceWords): void {
    if (this.#isSpaced) this.#text += ' ';
    this.#text += spacesIn(misc, 'SpacesBefore') ?? '';
    let start = this.#text.length;
    this.#text += form;
    const spaces = spacesIn(misc, 'SpacesAfter');
    this.#isSpaced = isSpaced && spaces === undefined;
    if (words.length > 0 && words.join('') !== form) this.#words.set(this.#offsets.length, words);
    const parts = words.join('') === form ? words : [form];
    for (const [i, part] of parts.entries()) {
      if (i > 0) this.#continued.add(this.#offsets.length);
      this.#offsets.push([start, start + part.length]);
      start += part.length;
    }
    this.#text += spaces ?? '';
    this.#isBroken = spaces !== undefined && emptyLine.test(spaces);
  }

  #addOffsets({ text, tokens, sentences, ...document }: Document): void {
    if (text === undefined || tokens === undefined) return;
    const offsets = document.offsets ?? placeTokens(text, tokens);
    if (offsets === undefined) return;
    this.#breakParagraph();
    const begin = this.#offsets.length;
    const start = this.#text.length;
    this.#text += text;
    for (const [from, to] of offsets) this.#offsets.push([start + from, start + to]);
    const own = sentences?.length ? sentences : [[0, tokens.length] as const];
    for (const [from, to] of own) this.#sentences.push([begin + from, begin + to]);
    this.#breakParagraph();
  }

  #breakParagraph(): void {
    const isBroken = this.#isBroken || this.#text.endsWith('\n\n');
    if (this.#text !== '' && !isBroken) this.#text += '\n\n';
    this.#isSpaced = false;
  }
}
