import { bisect } from '../../engine/core/arrays.js';
import { Random } from '../../engine/core/random.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import type { Model } from '../../engine/models/model.js';
import { type FeatureSource, FeatureWeights, type TokenFeatures } from './feature-weights.js';
import type { Strategy, TokenDoubts } from './strategy.js';

/** Options of a pool. */
export interface PoolOptions {
  readonly strategy: Strategy;
  /** Number of records in the queue. */
  readonly size: number;
  readonly seed: number;
  /** Maximum number of records that compete at a time. Default 400. */
  readonly most?: number;
  /** Returns whether a record is still open. */
  readonly isOpen: (record: number) => boolean;
  /** Returns the sentences of a record; undefined if it cannot be read. */
  readonly read: (record: number) => readonly Sentence[] | undefined;
  /** Features of tokens, for a strategy that scores token doubts. */
  readonly features: FeatureSource;
}

/**
 * Number of records weighed per step, which takes a millisecond if they have hundreds of tokens.
 */
const weighedAtATime = 4;

interface Candidate {
  readonly record: number;
  readonly sentences: readonly Sentence[];
  /** Score, or an upper bound of it: the score falls as the record's features are answered. */
  score: number;
  /** Time of the last scoring. */
  age: number;
  /** Parts of a score by tokens, and the tokens' features. */
  parts?: { readonly of: TokenDoubts; readonly features: TokenFeatures };
}

/**
 * Chooses the next record by a strategy. If records are scored, a random sample of them competes,
 * which they enter in an order drawn once. `refresh` replaces the least informative ones, and
 * rescores some, oldest scores first; its cost does not depend on the length of the queue. A choice
 * uses the current scores, and examines few of them: scores lowered by answers keep their place
 * until they come first (Minoux, 1978).
 */
export class QueryPool {
  readonly #options: PoolOptions;
  readonly #order: Uint32Array;
  #taken = 0;
  readonly #candidates: Candidate[] = [];
  readonly #competing = new Set<number>();
  #isSorted = true;
  readonly #weights: FeatureWeights;
  #clock = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { strategy, features } = options;
    this.#weights = new FeatureWeights(strategy.doubts === undefined ? 0 : features.count);
    this.#order = Uint32Array.from({ length: options.size }, (_, i) => i);
    if (strategy.order !== 'queue') new Random(options.seed).shuffle(this.#order);
  }

  /**
   * Returns the next record, which stays open; undefined if none is open.
   *
   * @param from start position in queue order. Default: 0
   */
  next(model: Model, from = 0): number | undefined {
    if (this.#options.strategy.order !== 'score') return this.#nextInOrder(from);
    this.#drop();
    if (this.#candidates.length === 0) this.refresh(model, 1);
    this.#sort();
    const [first] = this.#candidates;
    if (first?.parts === undefined) return first?.record;
    for (;;) {
      const best = this.#candidates[0]!;
      this.#weigh(best);
      const second = this.#candidates[1];
      if (second === undefined || order(best, second) <= 0) return best.record;
      this.#candidates.shift();
      this.#candidates.splice(this.#placeOf(best), 0, best);
    }
  }

  /** Notes that a record was answered, in this session or before. */
  note(record: number): void {
    this.#count(record, features => this.#weights.answer(features));
  }

  /** Fills the pool, and scores up to `count` records with the current model. */
  refresh(model: Model, count: number): void {
    for (const _ of this.refreshing(() => model, count));
  }

  /**
   * Refreshes the pool, one record per step; a choice between two steps uses the current scores.
   */
  *refreshing(model: () => Model, count: number): Generator<void> {
    const { strategy, read, isOpen, most = 400 } = this.#options;
    if (strategy.order !== 'score') return;
    this.#drop();
    this.#clock += 1;
    this.#makeRoom(most, count);
    let left = count;
    for (let i = 0; i < this.#order.length; i += 1) {
      if (this.#candidates.length >= most || left === 0) break;
      const record = this.#order[this.#taken]!;
      this.#taken = (this.#taken + 1) % this.#order.length;
      if (this.#competing.has(record) || !isOpen(record)) continue;
      const sentences = read(record);
      if (sentences === undefined) continue;
      const candidate: Candidate = { record, sentences, score: 0, age: 0 };
      this.#score(candidate, model());
      this.#candidates.push(candidate);
      this.#competing.add(record);
      left -= 1;
      yield;
    }
    const oldest = [...this.#candidates].sort((a, b) => a.age - b.age || a.record - b.record);
    for (const candidate of oldest.slice(0, left)) {
      this.#score(candidate, model());
      yield;
    }
    if (strategy.doubts === undefined) return;
    // The doubts of records scored later also count for earlier ones.
    for (const [i, candidate] of [...this.#candidates].entries()) {
      this.#weigh(candidate);
      this.#isSorted = false;
      if (i % weighedAtATime === weighedAtATime - 1) yield;
    }
  }

  /** Reopens a record that was answered and noted. */
  reopen(record: number): void {
    const { strategy, read } = this.#options;
    this.#count(record, features => this.#weights.takeBack(features));
    // Reversing an answer raises scores, and the stored ones must be upper bounds.
    for (const candidate of this.#candidates) this.#weigh(candidate);
    this.#isSorted = false;
    if (strategy.order !== 'score' || this.#candidates.some(each => each.record === record)) return;
    const sentences = read(record);
    if (sentences === undefined) return;
    this.#candidates.push({ record, sentences, score: Number.MAX_VALUE, age: 0 });
    this.#isSorted = false;
    this.#competing.add(record);
  }

  /**
   * Removes the least informative records from a full pool, half as many as are scored. They are
   * scored again after all others.
   */
  #makeRoom(most: number, count: number): void {
    const leaving = this.#candidates.length - most + Math.floor(count / 2);
    if (leaving <= 0 || this.#order.length <= most) return;
    this.#sort();
    for (const candidate of this.#candidates.splice(-leaving)) this.#leave(candidate);
  }

  #nextInOrder(from: number): number | undefined {
    const { isOpen, read, strategy } = this.#options;
    const { length } = this.#order;
    const first = strategy.order === 'queue' ? from : 0;
    for (let i = 0; i < length; i += 1) {
      const record = this.#order[(first + i) % length]!;
      if (isOpen(record) && read(record) !== undefined) return record;
    }
    return undefined;
  }

  #score(candidate: Candidate, model: Model): void {
    const { strategy, features: source } = this.#options;
    const { sentences } = candidate;
    if (strategy.doubts === undefined) candidate.score = strategy.score!(model, sentences);
    else {
      const of = strategy.doubts(model, sentences);
      const { parts } = candidate;
      const features = parts?.features ?? source.of(sentences);
      if (parts !== undefined) this.#weights.remove(parts.of, features);
      this.#weights.add(of, features);
      candidate.parts = { of, features };
      this.#weigh(candidate);
    }
    candidate.age = this.#clock;
    this.#isSorted = false;
  }

  /** Scores a candidate by its current doubts. */
  #weigh(candidate: Candidate): void {
    const { parts } = candidate;
    if (parts === undefined) return;
    candidate.score = this.#weights.score(parts.of, parts.features);
  }

  /** Counts the features of a record if the strategy uses them. */
  #count(record: number, counts: (features: TokenFeatures) => void): void {
    const { strategy, read, features } = this.#options;
    if (strategy.doubts === undefined) return;
    const candidate = this.#candidates.find(each => each.record === record);
    counts(candidate?.parts?.features ?? features.of(read(record) ?? []));
  }

  #leave({ record, parts }: Candidate): void {
    this.#competing.delete(record);
    if (parts !== undefined) this.#weights.remove(parts.of, parts.features);
  }

  #sort(): void {
    if (!this.#isSorted) this.#candidates.sort(order);
    this.#isSorted = true;
  }

  /** Returns the index at which a candidate belongs among the sorted ones. */
  #placeOf(candidate: Candidate): number {
    const { length } = this.#candidates;
    return bisect(0, length, place => order(this.#candidates[place]!, candidate) < 0);
  }

  #drop(): void {
    const { isOpen } = this.#options;
    let kept = 0;
    for (const candidate of this.#candidates) {
      if (isOpen(candidate.record)) this.#candidates[kept++] = candidate;
      else this.#leave(candidate);
    }
    this.#candidates.length = kept;
  }
}

/** Orders by descending score, then by record. */
function order(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.record - b.record;
}
