import { TagstreamError } from '../../engine/core/errors.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { threadFile } from '../../runtime/thread-file.js';
import { WorkerPool } from '../../runtime/workers/worker-pool.js';
import { AnnotationModel, type ModelStart } from '../learning/annotation-model.js';
import type { RetrainTask } from '../learning/retrain-task.js';
import type { Annotator } from './annotator.js';
import { type DividedRecord, type RecordReader, withSpansAcross } from './record-reader.js';
import type { Review } from './review.js';

/**
 * Minimum number of accepted answers for a retraining, and the factor by which it must grow each
 * time.
 */
const [first, growth] = [20, 1.25];

/** Retrains from scratch in a separate thread, whenever the number of answers has grown by 25 %. */
export class Retraining {
  #pool: WorkerPool<null, RetrainTask, Uint8Array | undefined> | undefined;
  #at = 0;
  #isHurried = false;

  get isRunning(): boolean {
    return this.#pool !== undefined;
  }

  /** Returns whether there are enough answers for a retraining. */
  pays(accepted: number): boolean {
    return accepted >= first;
  }

  /** Returns whether a retraining is due. */
  isDue(accepted: number): boolean {
    const least = this.#at === 0 || this.#isHurried ? first : growth * this.#at;
    return this.#pool === undefined && accepted >= least;
  }

  /**
   * Makes retraining due before the answers have grown by a quarter, because an earlier answer is
   * no longer valid.
   */
  hurry(): void {
    this.#isHurried = true;
  }

  /**
   * @returns the model file; undefined if the thread was ended or no answer is accepted
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

/** Sources from which a model learns. */
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

/**
 * Maximum number of tokens of an answer that are learned immediately; the rest of a longer record
 * is learned in the background.
 */
const atOnce = 400;

/**
 * Milliseconds that a retrained model waits for the next answer before it takes over without one.
 */
const patience = 1000;

/**
 * Decides what a session's model learns, and when.
 *
 * The model learns from an answer immediately, so that the next proposal benefits; earlier answers
 * are learned again in the background. From time to time it is trained from scratch in a thread.
 * The new weights replace the old ones after a response is sent, while the annotator reads the next
 * record.
 */
export class Learning {
  readonly model: AnnotationModel;
  readonly #parts: LearningParts;
  readonly #retraining = new Retraining();
  #isClosed = false;
  #missed: { readonly record: number; readonly tags: Tags }[] = [];
  #retrained: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Number of times that the model was trained again on all answers. */
  #anew = 0;

  /** @throws TagstreamError as `AnnotationModel` */
  constructor(parts: LearningParts) {
    this.#parts = parts;
    this.model = new AnnotationModel(parts.start);
  }

  /** Learns from an answer at once, and from earlier ones in the background. */
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
   * Makes the model forget a withdrawn answer. With few answers, all are learned again in the
   * background; with more, the model is soon trained from scratch.
   */
  unlearn(record: number): void {
    this.model.forget(record);
    this.#missed = this.#missed.filter(each => each.record !== record);
    this.#retraining.hurry();
    if (this.#parts.retrain && this.#retraining.pays(this.#accepted)) return;
    this.#anew += 1;
    this.#parts.background.addLong(this.#learnAnew(this.#anew));
  }

  /**
   * Retrains if there are enough answers, and adopts a retrained model; called after each answer.
   */
  next(): void {
    if (this.#retrained !== undefined) this.#parts.background.add(this.#take());
    void this.#retrainIfDue();
  }

  /** Learns once without effect, so that the code is compiled before the first answer. */
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

  /** Learns from the answers files. */
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

  /** Whether the next weights will lack what is learned now. */
  get #isReplacedSoon(): boolean {
    return this.#retraining.isRunning || this.#retrained !== undefined;
  }

  get #accepted(): number {
    return this.#parts.annotators.reduce((sum, { progress }) => sum + progress.accepted, 0);
  }

  *#steps(read: DividedRecord, tags: Tags): Generator<void> {
    const { sentences, ranges } = withSpansAcross(read, tags);
    for (const [s, sentence] of sentences.entries()) {
      const [start, end] = ranges[s]!;
      this.model.learn(read.record, sentence, tags.slice(start, end));
      yield;
    }
  }

  *#learnAnew(number: number): Generator<void> {
    // A later one follows.
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
   * Returns the records on which annotators disagree: the model learns only from the decision, if
   * there is one.
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

  /** Adopts the retrained model's weights, and learns the answers given since. */
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

/** Milliseconds after which work begins, when the response to a request has been sent. */
const pause = 2;

/**
 * Background work, done in small pieces between requests, in the order in which it was added.
 *
 * `finish` completes all short work, so that the results do not depend on the available time. Long
 * work comes after it, and `finish` does not wait for it.
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

  /** @param work iterable whose steps are the pieces, each of a few milliseconds or less */
  add(work: Iterable<void>): void {
    this.#begin(this.#left, work);
  }

  /** Adds long work, for which `finish` does not wait. */
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
