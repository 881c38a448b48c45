import { TagstreamError } from '../../core/errors.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { threadFile } from '../../workers/thread-file.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import { AnnotationModel, type ModelStart } from '../learning/annotation-model.js';
import type { RetrainTask } from '../learning/retrain-task.js';
import type { Annotator } from './annotator.js';
import type { DividedRecord, RecordReader } from './record-reader.js';
import type { Review } from './review.js';

/** Fewest accepted answers for retraining, and the factor by which they must grow each time. */
const [first, growth] = [20, 1.25];

/** Retrains from scratch in a separate thread, whenever there are 25 % more answers than the last time. */
export class Retraining {
  #pool: WorkerPool<null, RetrainTask, Uint8Array | undefined> | undefined;
  #at = 0;
  #isHurried = false;

  get isRunning(): boolean {
    return this.#pool !== undefined;
  }

  /** Returns whether there are enough answers. */
  pays(accepted: number): boolean {
    return accepted >= first;
  }

  /** Returns whether it is due. */
  isDue(accepted: number): boolean {
    const least = this.#at === 0 || this.#isHurried ? first : growth * this.#at;
    return this.#pool === undefined && accepted >= least;
  }

  /** Makes it due before there are a quarter more answers, as an earlier one is no longer valid. */
  hurry(): void {
    this.#isHurried = true;
  }

  /**
   * @returns the model file; undefined if the thread was ended, or nothing is accepted
   * @throws (rejects with) errors of training
   */
  async run(task: RetrainTask, accepted: number): Promise<Uint8Array | undefined> {
    this.#at = accepted;
    this.#isHurried = false;
    const pool = new WorkerPool<null, RetrainTask, Uint8Array | undefined>(
      threadFile('annotation/learning/retrain-worker'),
      { size: 1 },
    );
    this.#pool = pool;
    try {
      await pool.setUp(null);
      return await pool.run(task);
    } finally {
      if (this.#pool === pool) this.#pool = undefined;
      await pool.close();
    }
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}

/** What a model learns from. */
export interface LearningParts {
  readonly start: ModelStart;
  readonly reader: RecordReader;
  /** The annotators, and their versions of shared records. */
  readonly annotators: readonly Annotator[];
  readonly review: { readonly of: Review; readonly by: Annotator } | undefined;
  /** Whether the model is trained from scratch in the background. */
  readonly retrain: boolean;
  readonly background: BackgroundWork;
  readonly onNotice: (text: string) => void;
}

type Tags = readonly (string | null)[];

/** Tokens of an answer that are learned immediately; the rest of a longer record is learned in the background. */
const atOnce = 400;

/**
 * Milliseconds that a retrained model waits for the next answer, after which it takes over without one.
 */
const patience = 1000;

/**
 * What the model of a session learns, and when.
 *
 * It learns from an answer immediately, so that the next proposal benefits; earlier answers are learned again in the
 * background. From time to time it is trained from scratch in a thread. The new weights replace the old ones after an
 * answer is sent, while the person reads the next record.
 */
export class Learning {
  readonly model: AnnotationModel;
  readonly #parts: LearningParts;
  readonly #retraining = new Retraining();
  #isClosed = false;
  #missed: { readonly record: number; readonly tags: Tags }[] = [];
  #retrained: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** How often the model was trained again on all answers. */
  #anew = 0;

  /** @throws TagstreamError as `AnnotationModel` */
  constructor(parts: LearningParts) {
    this.#parts = parts;
    this.model = new AnnotationModel(parts.start);
  }

  /** Learns from an answer, and does the rest in the background. */
  learn(read: DividedRecord, tags: Tags): void {
    this.model.forget(read.record);
    if (this.#isReplacedSoon) this.#missed.push({ record: read.record, tags });
    const rest = this.#steps(read, tags);
    for (let tokens = 0, s = 0; s < read.sentences.length && tokens < atOnce; s += 1) {
      tokens += read.sentences[s]!.tokens.length;
      rest.next();
    }
    this.#parts.background.add(rest);
    this.#parts.background.add(this.model.rehearsal());
  }

  /**
   * Makes the model forget a withdrawn answer: with few answers, all are learned again in the
   * background, with more, the model is soon trained from scratch.
   */
  unlearn(record: number): void {
    this.model.forget(record);
    this.#missed = this.#missed.filter(each => each.record !== record);
    this.#retraining.hurry();
    if (this.#parts.retrain && this.#retraining.pays(this.#accepted)) return;
    this.#anew += 1;
    this.#parts.background.addLong(this.#learnAnew(this.#anew));
  }

  /** Retrains if that pays, and adopts a retrained model; called after each answer. */
  next(): void {
    if (this.#retrained !== undefined) this.#parts.background.add(this.#take());
    void this.#retrainIfDue();
  }

  /**
   * Learns once without effect, so that the code is compiled, and the first answer takes no longer than
   * others.
   */
  warmUp(sentence: Sentence): void {
    const { start } = this.#parts;
    const [tag] = start.task.tags;
    const scratch = new AnnotationModel({ ...start, bytes: undefined });
    scratch.learn(
      0,
      sentence,
      sentence.tokens.map(() => tag!),
    );
  }

  /** Learns from the files of answers. */
  async resume(): Promise<void> {
    if (this.#parts.retrain && this.#retraining.isDue(this.#accepted)) {
      await this.#retrain();
      for (const _ of this.#take());
    } else {
      for (const _ of this.#learnAll());
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#retraining.close();
  }

  /** Whether what is learned now will be missing from the next weights. */
  get #isReplacedSoon(): boolean {
    return this.#retraining.isRunning || this.#retrained !== undefined;
  }

  get #accepted(): number {
    return this.#parts.annotators.reduce((sum, { progress }) => sum + progress.accepted, 0);
  }

  *#steps(read: DividedRecord, tags: Tags): Generator<void> {
    for (const [s, sentence] of read.sentences.entries()) {
      const [start, end] = read.ranges[s]!;
      this.model.learn(read.record, sentence, tags.slice(start, end));
      yield;
    }
  }

  *#learnAnew(number: number): Generator<void> {
    // Another one follows.
    if (number !== this.#anew) return;
    this.model.restart();
    for (const _ of this.#learnAll()) {
      yield;
      if (number !== this.#anew) return;
    }
  }

  *#learnAll(): Generator<void> {
    const { annotators, review } = this.#parts;
    const disputed = this.#disputed();
    const everybody = review === undefined ? annotators : [...annotators, review.by];
    for (const one of everybody) {
      for (const { note, tags } of one.answers.answers()) {
        if (tags === undefined || (one !== review?.by && disputed.has(note.record))) continue;
        const read = this.#parts.reader.read(note.record);
        if (read === undefined) continue;
        yield* this.#steps(read, tags);
        yield* this.model.rehearsal();
      }
    }
  }

  /**
   * Returns the records on which people disagree: the model learns from the decision, or not at all.
   */
  #disputed(): ReadonlySet<number> {
    const { review } = this.#parts;
    review?.of.refresh();
    return review?.of.disputed ?? new Set();
  }

  async #retrainIfDue(): Promise<void> {
    if (!this.#parts.retrain || !this.#retraining.isDue(this.#accepted)) return;
    await this.#retrain().catch(thrown => {
      if (this.#isClosed) return;
      const { message } = TagstreamError.from(thrown, 'worker');
      this.#parts.onNotice(`the model could not be retrained: ${message}`);
    });
    if (this.#retrained === undefined) return;
    this.#timer = setTimeout(() => this.#parts.background.add(this.#take()), patience).unref();
  }

  async #retrain(): Promise<void> {
    this.#missed = [];
    const { annotators, review, start } = this.#parts;
    const disputed = this.#disputed();
    const lines = annotators.flatMap(({ answers }) =>
      [...answers.linesByRecord()].flatMap(([record, line]) =>
        disputed.has(record) ? [] : [line],
      ),
    );
    for (const [, line] of review?.by.answers.linesByRecord() ?? []) lines.push(line);
    const { preset, columns, resources, seed } = start;
    const task = { lines, preset, columns, resources, seed };
    this.#retrained = await this.#retraining.run(task, this.#accepted);
  }

  /** Takes the weights of the retrained model, and learns the answers given meanwhile. */
  *#take(): Generator<void> {
    const bytes = this.#retrained;
    if (bytes === undefined) return;
    clearTimeout(this.#timer);
    this.#retrained = undefined;
    this.model.replace(bytes);
    const missed = this.#missed;
    this.#missed = [];
    for (const { record, tags } of missed) {
      yield;
      const read = this.#parts.reader.read(record);
      if (read !== undefined) yield* this.#steps(read, tags);
    }
  }
}

/** Approximate milliseconds for which a piece of work may delay requests. */
const slice = 4;

/** Milliseconds after which work begins: the answer to a request has then been sent. */
const pause = 2;

/**
 * Background work, done in small pieces between requests, in the order in which it was added.
 *
 * `finish` completes all short work, so that what follows does not depend on how much time there was. Long work comes
 * after it, and is never waited for.
 */
export class BackgroundWork {
  readonly #left: Iterator<void>[] = [];
  readonly #long: Iterator<void>[] = [];
  readonly #onError: (thrown: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param onError receives the error of a piece; the rest of its work is skipped */
  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

  /** @param work each of its steps is a piece, of at most a few milliseconds */
  add(work: Iterable<void>): void {
    this.#begin(this.#left, work);
  }

  /** Adds work that takes too long to be waited for. */
  addLong(work: Iterable<void>): void {
    this.#begin(this.#long, work);
  }

  finish(): void {
    while (this.#left.length > 0) this.#step(this.#left);
  }

  close(): void {
    this.#left.length = 0;
    this.#long.length = 0;
    clearTimeout(this.#timer);
  }

  #begin(works: Iterator<void>[], work: Iterable<void>): void {
    works.push(work[Symbol.iterator]());
    this.#timer ??= setTimeout(() => this.#run(), pause).unref();
  }

  #run(): void {
    const end = performance.now() + slice;
    while (this.#next !== undefined && performance.now() < end) this.#step(this.#next);
    this.#timer = this.#next === undefined ? undefined : setTimeout(() => this.#run(), 0).unref();
  }

  get #next(): Iterator<void>[] | undefined {
    if (this.#left.length > 0) return this.#left;
    return this.#long.length > 0 ? this.#long : undefined;
  }

  #step(works: Iterator<void>[]): void {
    try {
      if (works[0]!.next().done === true) works.shift();
    } catch (thrown) {
      works.shift();
      this.#onError(thrown);
    }
  }
}
