import { type Figure, percent } from '../../engine/core/figures.js';
import type { Document, Range } from '../../engine/core/sentence/document.js';
import type { TaggedSentence } from '../../engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../engine/core/sentence/tagged-document.js';
import {
  type ScoredText,
  type ScoredWord,
  universalPart,
} from '../../engine/metrics/scores/raw-text-scores.js';
import { placeTokens } from '../../engine/text/place-tokens.js';
import { isWhiteSpace } from '../../engine/text/white-space.js';
import { layoutOfFormat, surfaceWords } from '../../formats/codecs/conllu/surface-words.js';

type Place = readonly [number, number];

/** An annotated text under construction, to which records are appended. */
export class ScoredTextBuilder implements ScoredText {
  readonly tokens: Place[] = [];
  readonly sentences: Place[] = [];
  readonly words: ScoredWord[] = [];
  /** Number of characters so far, without white space. */
  #length = 0;

  /**
   * Adds a gold record: a sentence of CoNLL-U, or a text with tokens.
   *
   * @param column name of the tag column
   */
  addGold(document: Document, column: string): void {
    const { tokens = [], raw, format } = document;
    const isConllu = raw !== undefined && format?.startsWith('conllu ') === true;
    const valuesOf = (t: number) => goldValues(document, column, t);
    if (!isConllu) {
      const { text } = document;
      const offsets = document.offsets ?? (text && placeTokens(text, tokens));
      if (text === undefined || !offsets) return;
      this.#add(text, {
        ...{ tokens, offsets, multiword: [] },
        sentences: document.sentences?.length ? document.sentences : [[0, tokens.length]],
        valuesOf,
      });
      return;
    }
    const begin = this.#length;
    let word = 0;
    for (const { form, words } of surfaceWords(raw, layoutOfFormat(format))) {
      const place: Place = [this.#length, this.#length + inkOf(form)];
      this.#length = place[1];
      this.tokens.push(place);
      for (const each of words.length === 0 ? [form] : words) {
        this.#addWord(each, place, words.length > 0, valuesOf(word));
        word += 1;
      }
    }
    this.sentences.push([begin, this.#length]);
  }

  /** Adds a text that was tokenized and tagged. */
  addTagged({ document, ...tagged }: TaggedDocument, column: string): void {
    const { tokens, offsets = [], multiword = [], sentences, tags, results = {} } = tagged;
    const further = Object.entries(results);
    this.#add(document.text!, {
      ...{ tokens, offsets, multiword },
      sentences: sentences ?? (tokens.length === 0 ? [] : [[0, tokens.length]]),
      valuesOf: t => ({
        ...Object.fromEntries(further.map(([name, own]) => [name, compared(name, own[t]!)])),
        [column]: compared(column, tags[t]!),
      }),
    });
  }

  #add(text: string, divided: Divided): void {
    const { tokens, offsets, multiword, sentences, valuesOf } = divided;
    const before = inkBefore(text);
    const placed = ([start, end]: Range): Place => [
      this.#length + before[start]!,
      this.#length + before[end]!,
    ];
    const parts = new Map(
      multiword.flatMap(range => numbersIn(range).map(t => [t, range] as const)),
    );
    for (const [t, form] of tokens.entries()) {
      const part = parts.get(t);
      const place =
        part === undefined
          ? placed(offsets[t]!)
          : placed([offsets[part[0]]![0], offsets[part[1] - 1]![1]]);
      if (part === undefined || part[0] === t) this.tokens.push(place);
      this.#addWord(form, place, part !== undefined, valuesOf(t));
    }
    for (const [from, to] of sentences) {
      this.sentences.push(placed([offsets[from]![0], offsets[to - 1]![1]]));
    }
    this.#length += before[text.length]!;
  }

  #addWord(form: string, place: Place, isPart: boolean, values: ScoredWord['values']): void {
    this.words.push({ form, isPart, start: place[0], end: place[1], values });
  }
}

interface Divided {
  readonly tokens: readonly string[];
  readonly offsets: readonly Range[];
  readonly multiword: readonly Range[];
  readonly sentences: readonly Range[];
  valuesOf(token: number): ScoredWord['values'];
}

function numbersIn([from, to]: Range): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

function goldValues(
  { columns = {}, tags }: Document,
  column: string,
  t: number,
): ScoredWord['values'] {
  const own = Object.entries(columns).map(([name, values]) => [
    name,
    compared(name, String(values[t] ?? '_')),
  ]);
  const tag = tags?.[t];
  return {
    ...Object.fromEntries(own),
    ...(tag === undefined ? {} : { [column]: compared(column, tag) }),
  };
}

/** Returns the scored part of a value: for features, the universal ones. */
export function compared(column: string, value: string): string {
  return column === 'feats' ? universalPart(value) : value;
}

/** Returns the number of UTF-16 units of a text that are not white space. */
function inkOf(text: string): number {
  return inkBefore(text)[text.length]!;
}

/** Returns the number of units other than white space before each UTF-16 unit of a text. */
function inkBefore(text: string): Uint32Array {
  const before = new Uint32Array(text.length + 1);
  for (let at = 0; at < text.length; at += 1) {
    before[at + 1] = before[at]! + (isWhiteSpace(text.charCodeAt(at)) ? 0 : 1);
  }
  return before;
}

/** Tokens with a gold value in a column, and those whose value was found. */
export interface ColumnAccuracy {
  readonly tokens: number;
  readonly right: number;
  /** In percent. */
  readonly accuracy: Figure;
}

/** Scores the further columns of a bundle on sentences whose tokens are given. */
export class ColumnScores {
  readonly #counts = new Map<string, { tokens: number; right: number }>();

  /** Counts a tagged sentence; columns that its record does not have are left out. */
  add({ results = {}, columns }: TaggedSentence): void {
    for (const [name, found] of Object.entries(results)) {
      const gold = Object.hasOwn(columns, name) ? columns[name]! : [];
      const own = this.#counts.get(name) ?? { tokens: 0, right: 0 };
      for (const [t, value] of gold.entries()) {
        own.tokens += 1;
        if (compared(name, String(value)) === compared(name, found[t]!)) own.right += 1;
      }
      this.#counts.set(name, own);
    }
  }

  /** Those of columns that records have; undefined where there are none. */
  get scores(): Readonly<Record<string, ColumnAccuracy>> | undefined {
    const scored = [...this.#counts].filter(([, { tokens }]) => tokens > 0);
    if (scored.length === 0) return undefined;
    return Object.fromEntries(
      scored.map(([name, own]) => [name, { ...own, accuracy: percent(own.right, own.tokens) }]),
    );
  }
}
