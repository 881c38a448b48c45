import { type ErrorPlace, TagstreamError } from '../../core/errors.js';
import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Document, Range } from '../../core/sentence/document.js';
import { type CharacterColumn, characterColumns } from '../../text/characters/character-columns.js';
import { CharacterDivision } from '../../text/characters/character-division.js';
import { CharacterText, paragraphsOf } from '../../text/characters/character-text.js';
import { Doubt } from '../../text/characters/doubt.js';
import {
  type DoubtfulPiece,
  doubtfulPlaces,
  piecesOf,
} from '../../text/characters/doubtful-places.js';
import { characterLabels } from '../../text/characters/labels.js';
import type { RuleLabels } from '../../text/characters/rule-labels.js';
import type { BundledTokenizer, StoredTokenizer } from '../../text/tokenizers/bundled-tokenizer.js';
import type { DividedWords, Tokenizer } from '../../text/tokenizers/tokenizer.js';
import { RowDecoder } from '../decoding/row-decoder.js';
import type { Model, ModelTokenizer } from '../model.js';
import { type CharacterSentence, characterSentences, rulesFor } from './character-sentences.js';
import { ContentHashes } from './content-hashes.js';
import type { WordExpander } from './word-expander.js';

/** Maximum number of uncertain characters decoded at a time, unless a single paragraph has more. */
const placesAtATime = 1024;

/** The uncertain characters of a paragraph being processed. */
interface Piece extends DoubtfulPiece {
  readonly text: CharacterText;
  readonly rules: readonly Uint8Array[];
  /** Labels of all characters of the paragraph. */
  readonly labels: Uint8Array;
}

/**
 * Finds words and sentences in a text with a character model (Evang et al. 2013) that labels the uncertain
 * characters.
 */
export class LearnedTokenizer implements ModelTokenizer {
  readonly model: Model;
  readonly stored: StoredTokenizer;
  readonly #doubt: Doubt;
  readonly #expander: WordExpander | undefined;
  readonly #rules: RuleLabels | undefined;
  readonly #hashes = new ContentHashes();
  readonly #columns = new Map<string, CharacterColumn>();
  readonly #labelOf: Uint8Array;
  #decoder: RowDecoder | undefined;

  /**
   * @param model the frozen model of `stored.bytes`
   * @param expander the expander of `stored.expander`, if there is one
   */
  constructor(model: Model, stored: StoredTokenizer, expander?: WordExpander) {
    this.#expander = expander;
    this.model = model;
    this.stored = stored;
    this.#doubt = new Doubt(stored.certain);
    const { atoms } = model.extractor.plan;
    this.#rules = rulesFor(
      stored.locale,
      atoms.map(({ column }) => column),
    );
    for (const column of characterColumns) this.#columns.set(column.name, column);
    this.#labelOf = Uint8Array.from(model.labels.names, name =>
      (characterLabels as readonly string[]).indexOf(name),
    );
  }

  /** The tokenizer as a function. */
  readonly tokenizer: Tokenizer = Object.assign(
    (text: string) => this.divide(text).offsets as Range[],
    { divide: (text: string) => this.divide(text) },
  );

  /**
   * Returns the words and sentences of a text; a text of white space has none. An empty line ends a
   * sentence. Cost O(characters + uncertain characters * templates).
   */
  divide(text: string): DividedWords {
    const found = this.#divide(text);
    return this.#expander?.expand(text, found) ?? found;
  }

  /**
   * Returns a text as sentences of its uncertain characters, with the columns that the model uses, like the
   * operator `characters`. Slower than `divide`, which finds the same characters.
   */
  characters(document: Document): CharacterSentence[] {
    const columns = new Set(this.model.extractor.plan.atoms.map(({ column }) => column));
    const { locale } = this.stored;
    return characterSentences(document, { locale, doubt: this.#doubt, columns });
  }

  #divide(text: string): DividedWords {
    const found = new CharacterDivision();
    const waiting: Paragraph[] = [];
    const pieces: Piece[] = [];
    let places = 0;
    const decode = () => {
      this.#label(pieces, places);
      for (const each of waiting) found.add(each.text, each.labels);
      waiting.length = 0;
      pieces.length = 0;
      places = 0;
    };
    for (const range of paragraphsOf(text)) {
      const characters = new CharacterText(text, range);
      const paragraph = { text: characters, labels: new Uint8Array(characters.length) };
      const doubtful = doubtfulPlaces(characters, this.#doubt, paragraph.labels);
      if (doubtful.places.length > 0) {
        const rules = this.#rules?.of(text, range, characters) ?? [];
        for (const piece of piecesOf(doubtful)) {
          if (places >= placesAtATime) {
            this.#label(pieces, places);
            pieces.length = 0;
            places = 0;
          }
          pieces.push({ ...piece, ...paragraph, rules });
          places += piece.places.length;
        }
      }
      waiting.push(paragraph);
      if (places >= placesAtATime) decode();
    }
    decode();
    return found;
  }

  /** Labels the uncertain characters of some pieces. */
  #label(pieces: readonly Piece[], places: number): void {
    if (places === 0) return;
    const { model } = this;
    this.#decoder ??= new RowDecoder(model, {});
    const starts = runStarts(pieces, places);
    const rows = this.#rows(pieces, places);
    const { labels } = this.#decoder.decode(rows, starts, run =>
      Array<string>(starts[run + 1]! - starts[run]!).fill(''),
    );
    let first = 0;
    for (const { places: own, labels: all, from, to } of pieces) {
      for (let i = from; i < to; i += 1) all[own[i]!] = this.#labelOf[labels[first + i]!]!;
      first += own.length;
    }
  }

  /** Returns the feature rows of all uncertain characters of some pieces. */
  #rows(pieces: readonly Piece[], places: number): PackedRows {
    const { extractor, stateIndex } = this.model;
    const hashes = this.#hashes;
    extractor.openContents(places, (atom, lo, hi, start) => {
      const column = this.#columns.get(atom.column)!;
      const { kind, window } = column;
      let to = start;
      for (const { text, rules, places: own } of pieces) {
        if (window !== undefined) {
          const { length } = text;
          hashes.points(
            window,
            window.values(text, rules),
            { length, places: own },
            { lo, hi, to },
          );
          to += own.length;
          continue;
        }
        let last = Number.NaN;
        for (let i = 0; i < own.length; i += 1) {
          const value = column.at(text, own[i]!, rules);
          if (value !== last) {
            if (kind === 'point') hashes.point(value);
            else hashes.chunk(text, value, kind);
            last = value;
          }
          lo[to] = hashes.lo;
          hi[to] = hashes.hi;
          to += 1;
        }
      }
    });
    return extractor.state(places, stateIndex, false);
  }
}

/** A paragraph being processed. */
type Paragraph = Pick<Piece, 'text' | 'labels'>;

/**
 * Returns the starts of runs of uncertain characters, over all pieces; the last entry is the number
 * of characters.
 */
function runStarts(pieces: readonly Piece[], places: number): Uint32Array {
  const starts = new Uint32Array(pieces.reduce((sum, { runs }) => sum + runs.length, 1));
  let next = 0;
  let first = 0;
  for (const { runs, places: own } of pieces) {
    for (let run = 0; run < runs.length; run += 1) {
      starts[next] = first + runs[run]!;
      next += 1;
    }
    first += own.length;
  }
  starts[next] = places;
  return starts;
}

/**
 * Returns the tokenizer that a model contains.
 *
 * @param what name of the model in the error
 * @throws TagstreamError `config` if the model has none
 */
export function requireTokenizer<Given extends BundledTokenizer>(
  tokenizer: Given | undefined,
  what: string,
): Given {
  if (tokenizer === undefined) throw withoutTokenizer(what);
  requireArgument(what, tokenizer, kinds.tokenizer);
  return tokenizer;
}

export function withoutTokenizer(what: string, place: ErrorPlace = {}): TagstreamError {
  return new TagstreamError('config', `${what} has no learned tokenizer`, {
    place,
    fix: 'name a model trained with tokenize: { tokenizer: learned }, as init --text and train do, or a tagger of characters whose tags mark words',
  });
}
