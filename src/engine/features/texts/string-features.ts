import type { EncodedSentence, LateRows } from '../../core/minibatch/encoded-sentence.js';
import { joinRows, type PackedRows } from '../../core/minibatch/packed-rows.js';
import type { Column } from '../../core/sentence/document.js';
import type { ContextColumns, Sentence } from '../../core/sentence/sentence.js';
import { Region } from '../../kernels/memory/region.js';
import { DocumentMemory } from '../context/document-memory.js';
import { contextMark } from '../extraction/atom.js';
import type { ExtractionPlan } from '../extraction/extraction-plan.js';
import type { FeatureExtractor } from '../extraction/feature-extractor.js';
import type { FeatureIndex } from '../index/feature-index.js';
import { isPlaced, type PlacedIndex } from '../index/placed-index.js';
import { TextFeatures } from './text-features.js';
import type { TextColumns } from './text-work.js';

/** Caches by plan and index. */
const known = new WeakMap<
  ExtractionPlan,
  { readonly index: PlacedIndex; readonly size: number; readonly features: StringFeatures }
>();

/** Initial capacity in tokens. */
const leastRoom = 1024;

/** A sentence given as strings. */
export interface StringSentence {
  readonly tokens: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  /** Context from previous sentences of the document, for models that use it. */
  readonly context?: ContextColumns | undefined;
}

/** Feature rows of consecutive sentences' tokens; views, valid until the next call. */
export interface StringRows {
  readonly features: PackedRows;
  /** First token of each sentence, followed by the number of tokens. */
  readonly starts: Uint32Array;
}

/**
 * Finds the rows of state features of sentences given as strings; they equal those of
 * `FeatureExtractor`. Rows are cached by text, so a known token costs one lookup.
 */
export class StringFeatures {
  readonly #features: TextFeatures;
  readonly #region: Region;
  readonly #fixed: Region;
  /** Text numbers, by column. */
  readonly #numbers: readonly Map<string, number>[];

  /**
   * Returns the shared instance for a plan and the current index.
   *
   * @param plan plan that satisfies `TextFeatures.canMake`, with context included
   * @param index index that no longer grows
   */
  static of(plan: ExtractionPlan, index: PlacedIndex): StringFeatures {
    const shared = known.get(plan);
    if (shared?.index === index && shared.size === index.size) return shared.features;
    const features = new StringFeatures(plan, index);
    known.set(plan, { index, size: index.size, features });
    return features;
  }

  private constructor(plan: ExtractionPlan, index: PlacedIndex) {
    this.#features = new TextFeatures(plan, index, { inJson: false, isForKernel: false });
    this.#region = new Region(index.memory);
    this.#fixed = new Region(index.memory);
    this.#numbers = this.#features.columns.map(() => new Map<string, number>());
  }

  /**
   * Returns the rows of sentences. Undefined if a sentence lacks a column or a column contains
   * values other than strings, or if there are more texts than fit into the table: `Model.encode`
   * handles or reports these cases.
   *
   * @param fixed a number per token, from 0 on for tokens that need no rows
   */
  encode(sentences: readonly StringSentence[], fixed?: Int32Array): StringRows | undefined {
    if (!sentences.every(sentence => this.canEncode(sentence))) return undefined;
    return this.rowsOf(sentences, fixed);
  }

  /** `encode` of sentences that `canEncode` has accepted; undefined only if there are too many texts. */
  rowsOf(sentences: readonly StringSentence[], fixed?: Int32Array): StringRows | undefined {
    const starts = new Uint32Array(sentences.length + 1);
    for (const [s, { tokens }] of sentences.entries()) starts[s + 1] = starts[s]! + tokens.length;
    const tokens = starts[sentences.length]!;
    const { columns } = this.#features;
    if (!this.#hasRoom(tokens * columns.length)) return undefined;
    const room = this.#reserve(tokens);
    for (let column = 0; column < columns.length; column += 1) {
      const values = sentences.map(sentence => valuesOf(sentence, columns[column]!));
      const place = { offset: room.offset + 4 * column * room.stride, tokens };
      const all = values as readonly (readonly string[])[];
      const fresh = this.#number(all, column, place);
      if (fresh === undefined) continue;
      this.#add(fresh, column);
      this.#number(all, column, place);
    }
    if (fixed === undefined) return { features: this.#features.encode(room, starts), starts };
    this.#fixed.write(fixed);
    return { features: this.#features.encode(room, starts, this.#fixed.offset), starts };
  }

  /** Returns whether a single sentence can be encoded; see `encode`. */
  canEncode(sentence: StringSentence): boolean {
    const { tokens } = sentence;
    const { columns, texts } = this.#features;
    if (tokens.length === 0 || tokens.length * columns.length > texts.mostRoom) return false;
    return columns.every(column => isTexts(valuesOf(sentence, column), tokens.length));
  }

  /** Writes the number of each text, and returns the texts that have none, if any. */
  #number(
    values: readonly (readonly string[])[],
    column: number,
    { offset, tokens }: { readonly offset: number; readonly tokens: number },
  ): ReadonlySet<string> | undefined {
    const known = this.#numbers[column]!;
    const numbers = new Uint32Array(this.#features.texts.memory.buffer, offset, tokens);
    let fresh: Set<string> | undefined;
    let next = 0;
    // Most context values of a token are empty.
    let last: string | undefined;
    let number: number | undefined;
    for (const each of values) {
      for (const value of each) {
        if (value !== last) number = known.get(value);
        last = value;
        if (number !== undefined) numbers[next] = number;
        else {
          fresh ??= new Set();
          fresh.add(value);
        }
        next += 1;
      }
    }
    return fresh;
  }

  /** Adds new texts in one step. */
  #add(fresh: ReadonlySet<string>, column: number): void {
    const known = this.#numbers[column]!;
    let number = this.#features.texts.add([...fresh], column);
    for (const text of fresh) {
      known.set(text, number);
      number += 1;
    }
  }

  /** Forgets all texts if the table may be too small for `more`; returns false if it always is. */
  #hasRoom(more: number): boolean {
    const { texts } = this.#features;
    if (texts.room >= more) return true;
    texts.clear();
    for (const numbers of this.#numbers) numbers.clear();
    return texts.room >= more;
  }

  /**
   * Returns room for the numbers of this many tokens; its address remains the same as long as it
   * suffices.
   */
  #reserve(tokens: number): TextColumns {
    const { columns } = this.#features;
    this.#region.reserve(4 * Math.max(tokens, leastRoom) * columns.length);
    const { offset, bytes } = this.#region;
    return { offset, stride: Math.floor(bytes / (4 * columns.length)) };
  }
}

/** Returns whether there is a text for each token. */
function isTexts(values: Column | undefined, length: number): boolean {
  return values?.length === length && values.every(value => typeof value === 'string');
}

function valuesOf(sentence: StringSentence, name: string): Column | undefined {
  const { tokens, columns, context } = sentence;
  if (name === 'form') return tokens;
  if (name.startsWith(contextMark)) return context?.[name.slice(contextMark.length)];
  return Object.hasOwn(columns, name) ? columns[name] : undefined;
}

/** The rows of a sentence's state features, equal to those of `FeatureExtractor`; found on demand. */
export class KnownRows implements LateRows {
  holder: EncodedSentence | undefined;
  readonly owner: StringFeatures;
  readonly #sentence: StringSentence;
  #rows: PackedRows | undefined;

  /**
   * Returns the rows of a sentence, which are found faster than by `FeatureExtractor`, because they are cached by text.
   *
   * Undefined for templates that use anything but texts of tokens and context, and if a column is missing or does not hold
   * strings, which `FeatureExtractor` reports.
   *
   * @param index one that no longer grows
   */
  static of(
    { plan, readsDocuments, readsPredictions }: FeatureExtractor,
    index: FeatureIndex,
    { tokens, columns, ...sentence }: Sentence,
  ): KnownRows | undefined {
    // Training knows its own words differently than later texts.
    const { context } = sentence;
    if (context?.seen !== undefined) return undefined;
    const readsContext = readsDocuments || readsPredictions;
    if (!isPlaced(index) || !TextFeatures.canMake(plan, readsContext)) return undefined;
    const hasCase = !readsDocuments || context?.case !== undefined;
    const placed = hasCase
      ? context
      : { ...context, ...new DocumentMemory(1).columnsOf({ tokens, columns, ...sentence }) };
    const features = StringFeatures.of(plan, index);
    const given = { tokens, columns, context: placed };
    return features.canEncode(given) ? new KnownRows(features, given) : undefined;
  }

  private constructor(owner: StringFeatures, sentence: StringSentence) {
    this.owner = owner;
    this.#sentence = sentence;
  }

  get starts(): Uint32Array {
    return this.#own().starts;
  }

  get rows(): Uint32Array {
    return this.#own().rows;
  }

  pack(sentences: readonly KnownRows[]): PackedRows {
    const all = sentences.map(each => each.#sentence);
    return copied(this.owner.rowsOf(all)?.features) ?? joinRows(sentences.map(each => each.#own()));
  }

  #own(): PackedRows {
    this.#rows ??= copied(this.owner.rowsOf([this.#sentence])!.features);
    return this.#rows!;
  }
}

function copied(rows: PackedRows | undefined): PackedRows | undefined {
  return rows && { starts: rows.starts.slice(), rows: rows.rows.slice() };
}
