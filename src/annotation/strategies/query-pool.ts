import { Random } from '../../core/random.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { Model } from '../../models/model.js';
import type { Strategy } from './strategy.js';
import { wordOverlap, wordsOf } from './word-overlap.js';

/** What a pool works with. */
export interface PoolOptions {
  readonly strategy: Strategy;
  /** Records of the queue. */
  readonly size: number;
  readonly seed: number;
  /** Records that compete at a time. Default 400. */
  readonly most?: number;
  /** Whether a record is still to be asked. */
  readonly isOpen: (record: number) => boolean;
  /** The sentences of a record; undefined for one that cannot be read. */
  readonly read: (record: number) => readonly Sentence[] | undefined;
}

interface Candidate {
  readonly record: number;
  readonly sentences: readonly Sentence[];
  readonly words: ReadonlySet<string> | undefined;
  score: number;
  /** When it was scored. */
  age: number;
}

/** Records of before that a diverse choice is compared with. */
const remembered = 10;

/**
 * Chooses the next record by a strategy. Where records are scored, a random sample of them competes: the order in which
 * they come into it is drawn once. `refresh` puts others in the place of those that say least, and scores some anew, those
 * first that were scored longest ago: its cost does not depend on the length of the queue. A choice takes the scores that
 * there are.
 */
export class QueryPool {
  readonly #options: PoolOptions;
  readonly #order: Uint32Array;
  #taken = 0;
  readonly #candidates: Candidate[] = [];
  readonly #competing = new Set<number>();
  #asked: ReadonlySet<string>[] = [];
  #clock = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#order = Uint32Array.from({ length: options.size }, (_, i) => i);
    if (options.strategy.order !== 'queue') new Random(options.seed).shuffle(this.#order);
  }

  /**
   * The next record, undefined where none is open; it stays open.
   *
   * @param from of records in the order of the queue, the place to look from. Default the first
   */
  next(model: Model, from = 0): number | undefined {
    if (this.#options.strategy.order !== 'score') return this.#nextInOrder(from);
    this.#drop();
    if (this.#candidates.length === 0) this.refresh(model, 1);
    let best: Candidate | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const candidate of this.#candidates) {
      const value = this.#valueOf(candidate);
      const better = value > most || (value === most && candidate.record < best!.record);
      if (!better) continue;
      best = candidate;
      most = value;
    }
    return best?.record;
  }

  /** Notes that a record is asked. */
  note(record: number): void {
    const found = this.#candidates.find(each => each.record === record);
    if (found?.words === undefined) return;
    this.#asked = [...this.#asked, found.words].slice(-remembered);
  }

  /** Fills the pool, and scores so many records by the model as it is now. */
  refresh(model: Model, count: number): void {
    const { strategy, read, isOpen, most = 400 } = this.#options;
    const { score } = strategy;
    if (score === undefined) return;
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
      const words = strategy.diverse === true ? wordsOf(sentences) : undefined;
      const value = score(model, sentences);
      this.#candidates.push({ record, sentences, words, score: value, age: this.#clock });
      this.#competing.add(record);
      left -= 1;
    }
    const oldest = [...this.#candidates].sort((a, b) => a.age - b.age || a.record - b.record);
    for (const candidate of oldest.slice(0, left)) {
      candidate.score = score(model, candidate.sentences);
      candidate.age = this.#clock;
    }
  }

  /** Makes a record that was answered open again. */
  reopen(record: number): void {
    const { strategy, read } = this.#options;
    if (strategy.order !== 'score' || this.#candidates.some(each => each.record === record)) return;
    const sentences = read(record);
    if (sentences === undefined) return;
    const words = strategy.diverse === true ? wordsOf(sentences) : undefined;
    this.#candidates.push({ record, sentences, words, score: Number.MAX_VALUE, age: 0 });
    this.#competing.add(record);
  }

  /** Of a full pool, those leave it that say least: half as many as are scored. Their turn comes again after all others. */
  #makeRoom(most: number, count: number): void {
    const leaving = this.#candidates.length - most + Math.floor(count / 2);
    if (leaving <= 0 || this.#order.length <= most) return;
    this.#candidates.sort((a, b) => b.score - a.score || a.record - b.record);
    for (const { record } of this.#candidates.splice(-leaving)) this.#competing.delete(record);
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

  #valueOf({ score, words }: Candidate): number {
    if (words === undefined || this.#asked.length === 0) return score;
    const likeness = Math.max(...this.#asked.map(each => wordOverlap(each, words)));
    return score * (1 - likeness);
  }

  #drop(): void {
    const { isOpen } = this.#options;
    let kept = 0;
    for (const candidate of this.#candidates) {
      if (isOpen(candidate.record)) this.#candidates[kept++] = candidate;
      else this.#competing.delete(candidate.record);
    }
    this.#candidates.length = kept;
  }
}
