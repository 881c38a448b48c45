import type { Document, Range } from '../../../engine/core/sentence/document.js';
import { placeTokens } from '../../../engine/text/place-tokens.js';
import {
  type ConlluLayout,
  layoutOfFormat,
  type SurfaceWords,
  spacesIn,
  surfaceWords,
} from './surface-words.js';

const emptyLine = /\n[^\S\n]*\n/;

/** A text with its tokens and sentences from a treebank. */
export interface GoldText {
  readonly text: string;
  /**
   * Ranges, in UTF-16 units, of the words that are substrings of the text. A multiword token that is the concatenation
   * of its words, such as `do` and `n't`, counts as several; any other, such as `du`, as one.
   */
  readonly offsets: readonly Range[];
  /** Indices of the `offsets` that continue the multiword token of the preceding one. */
  readonly continued: ReadonlySet<number>;
  /** Sentences as ranges of `offsets`. */
  readonly sentences: readonly Range[];
  /** Words of the multiword tokens with different forms, by index into `offsets`. */
  readonly words: ReadonlyMap<number, readonly string[]>;
}

/**
 * Reconstructs the text of CoNLL-U sentences: tokens with the spaces recorded in MISC (`SpaceAfter=No`, `SpacesAfter`, and
 * `SpacesBefore` at the first), with an empty line before each paragraph (`newpar`) and document (`newdoc`).
 * Each record of another format forms a paragraph, if it has a text that matches its tokens.
 */
export class RawText {
  #text = '';
  readonly #offsets: Range[] = [];
  readonly #continued = new Set<number>();
  readonly #sentences: Range[] = [];
  readonly #words = new Map<number, readonly string[]>();
  /** Whether a space precedes the next token. */
  #isSpaced = false;
  /** Whether an empty line precedes the next token. */
  #isBroken = false;

  add(document: Document): void {
    const { raw, format } = document;
    if (raw !== undefined && format?.startsWith('conllu ') === true)
      this.#addRows(raw, layoutOfFormat(format));
    else this.#addOffsets(document);
  }

  /** The text with all tokens added so far. */
  get gold(): GoldText {
    return {
      text: this.#text,
      offsets: this.#offsets,
      continued: this.#continued,
      sentences: this.#sentences,
      words: this.#words,
    };
  }

  #addRows(raw: string, layout: ConlluLayout): void {
    if (/^# *new(?:par|doc)\b/m.test(raw)) this.#breakParagraph();
    const begin = this.#offsets.length;
    for (const token of surfaceWords(raw, layout)) this.#addToken(token);
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
