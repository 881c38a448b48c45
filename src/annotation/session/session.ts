import { TagstreamError } from '../../core/errors.js';
import { counted } from '../../core/wording/counted.js';
import type { Answer } from '../answers/answer.js';
import { answerLine } from '../answers/answer-line.js';
import type { GivenAnswer } from '../answers/given-answer.js';
import type { AnnotationModel } from '../learning/annotation-model.js';
import { RecordQueue } from '../queue/record-queue.js';
import { askedTokens } from '../strategies/asked-tokens.js';
import { hashedFeatures } from '../strategies/hashed-features.js';
import { sequential } from '../strategies/sequential.js';
import { constraintsOf, type FixedTags } from '../task/fixed-tags.js';
import type { ShownProgress, ShownRecord } from '../task/shown-record.js';
import { Annotator } from './annotator.js';
import { BackgroundWork } from './background-work.js';
import { Learning } from './learning.js';
import { Proposer } from './proposer.js';
import { type DividedRecord, RecordReader } from './record-reader.js';
import { requireOwnAnswers } from './require-own-answers.js';
import { requireTags } from './require-tags.js';
import { Review } from './review.js';
import type { SessionOptions } from './session-options.js';
import { shares } from './shares.js';

/** Records that are scored before the first is asked, and in the background at the start and after each answer. */
const [scoredFirst, scoredThen, scoredAgain] = [64, 336, 64];

/** Who decides where others do not agree. */
const reviewer = 'review';

/** Records of which it is known what was shown. */
const shownKept = 256;

/**
 * Somebody labels the records of a file: what is asked, what is proposed, what was answered and what was learned from it.
 *
 * An answer is on the disk before `answer` returns. Opening it resumes: answers of the file are counted, and the
 * model is trained on them.
 */
export class AnnotationSession {
  readonly options: SessionOptions;
  readonly reader: RecordReader;
  readonly annotators: readonly Annotator[];
  /** What several people have labelled, and the one who decides where they do not agree. */
  readonly review: { readonly of: Review; readonly by: Annotator } | undefined;
  readonly #proposer: Proposer;
  readonly #learning: Learning;
  readonly #background: BackgroundWork;
  readonly #shown = new Map<number, ShownRecord>();
  readonly #features = hashedFeatures(() => this.model.model);

  private constructor(options: SessionOptions) {
    this.options = options;
    const { queue, task, out, preset, resources, model: bytes, seed = 1 } = options;
    const notice = options.onNotice ?? (() => undefined);
    this.reader = new RecordReader(new RecordQueue(queue), options.tokenizer ?? {}, notice);
    const chosen = preset ?? (task.kind === 'spans' ? 'ner' : 'pos');
    const { annotators = [''], overlap = 0 } = options;
    const share = shares({ people: annotators.length, overlap, seed });
    this.annotators = annotators.map((name, i) => {
      const path = annotators.length === 1 ? out : answersPath(out, name);
      const mine = (record: number) => share(record, i);
      const { strategy } = options;
      const parts = { strategy, seed: seed + i, task, mine, features: this.#features };
      return new Annotator(name, path, this.reader, parts);
    });
    this.review = annotators.length === 1 ? undefined : this.#openReview(out);
    this.#background = new BackgroundWork(thrown =>
      notice(`the model could not learn: ${TagstreamError.from(thrown, 'stage').message}`),
    );
    this.#learning = new Learning({
      ...{ reader: this.reader, annotators: this.annotators, review: this.review },
      start: { task, preset: chosen, columns: this.reader.columns, resources, bytes, seed },
      retrain: options.retrain ?? bytes === undefined,
      ...{ background: this.#background, onNotice: notice },
    });
    this.#proposer = new Proposer(this.model, options.rules);
  }

  /** @throws (rejects with) TagstreamError as `RecordQueue`, `AnswersFile` and `AnnotationModel` */
  static async open(options: SessionOptions): Promise<AnnotationSession> {
    const session = new AnnotationSession(options);
    try {
      if (session.review !== undefined) requireOwnAnswers(options.out, session.#everybody);
      await session.#resume();
    } catch (thrown) {
      await session.close();
      throw thrown;
    }
    return session;
  }

  get model(): AnnotationModel {
    return this.#learning.model;
  }

  /** @throws TagstreamError `usage` where nobody has that name */
  annotator(name: string | undefined): Annotator {
    const found =
      name === undefined && this.annotators.length === 1
        ? this.annotators[0]
        : this.#everybody.find(each => each.name === name);
    if (found !== undefined) return found;
    const names = this.#everybody.map(each => each.name).join(', ');
    throw new TagstreamError('usage', `there is no annotator ${JSON.stringify(name ?? '')}`, {
      fix: `add ?annotator= with one of ${names}`,
    });
  }

  /** The next record of a person; undefined where all are answered. */
  next(annotator: Annotator): ShownRecord | undefined {
    if (annotator === this.review?.by) this.review.of.refresh();
    const record = annotator.next(this.model.model);
    return record === undefined ? undefined : this.show(annotator, record);
  }

  /**
   * A record as it is shown: with its answer, where it has one, else with a proposal.
   *
   * @throws TagstreamError `usage` where there is no such record, or it cannot be read
   */
  show(annotator: Annotator, record: number): ShownRecord {
    const read = this.#read(record);
    const answer = annotator.answers.of(record);
    const { tags, marginals } = this.#proposer.propose(read);
    const { strategy } = this.options;
    const shown: ShownRecord = {
      record,
      id: read.document.id,
      text: read.document.text,
      tokens: read.tokens,
      offsets: read.offsets,
      sentences: read.ranges,
      tags: tags.map((tag, t) => answer?.tags?.[t] ?? tag),
      marginals: marginals.map((p, t) => (answer?.tags?.[t] == null ? p : 1)),
      ...(strategy.asksTokens === true ? { asked: askedTokens(marginals) } : {}),
      ...(answer === undefined
        ? {}
        : { answered: { answer: answer.note.answer, note: answer.note.note } }),
      ...(annotator === this.review?.by ? { versions: this.review.of.versions(record) } : {}),
      model: this.model.version,
    };
    this.#shown.set(record, { ...shown, tags });
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > shownKept) this.#shown.delete(oldest!);
    return shown;
  }

  /**
   * The best tags of a record under those that are fixed.
   *
   * @throws TagstreamError `usage` for tags that do not fit the record
   */
  propose(record: number, fixed: FixedTags) {
    const read = this.#read(record);
    requireTags(this.options.task, fixed, read);
    const { tags, marginals } = this.#proposer.propose(read, fixed);
    // The page shows percents: what is not sent and parsed comes sooner.
    const shown = marginals.map(p => Math.round(1e4 * p) / 1e4);
    return { tags, marginals: shown, model: this.model.version };
  }

  /** The best sequences of tags of the sentence that a token is in, and why it has its tag by the model. */
  explain(record: number, token: number, fixed: FixedTags) {
    const read = this.#read(record);
    requireTags(this.options.task, fixed, read);
    const s = read.ranges.findIndex(([start, end]) => token >= start && token < end);
    if (s < 0) throw noSuch(`token ${token}`, `it has ${read.tokens.length}`);
    const [start, end] = read.ranges[s]!;
    const sentence = read.sentences[s]!;
    const constraints = constraintsOf(fixed.slice(start, end), this.options.task.kind === 'spans');
    return {
      start,
      alternatives: this.model.alternatives(sentence, constraints, 5),
      why: this.model.explain(sentence)[token - start]!,
    };
  }

  /**
   * Keeps an answer on the disk, then learns from it.
   *
   * @returns whether it was new: the same answer, by its key, is kept once
   * @throws TagstreamError `usage` for an answer that does not fit the record, `file` where it cannot be kept
   */
  answer(annotator: Annotator, given: GivenAnswer): boolean {
    this.#background.finish();
    const read = this.#read(given.record);
    if (!annotator.has(given.record)) throw noSuch(`record ${given.record + 1}`, 'of this person');
    const shown = this.#shown.get(given.record) ?? this.show(annotator, given.record);
    const isRepeated = annotator.answers.has(given.record);
    const answer = this.#answerOf(annotator, given, read, shown);
    const division = { offsets: read.offsets, sentences: read.ranges };
    const raw = read.document.raw!;
    const isNew = annotator.answers.add(given, replaced =>
      answerLine(raw, { ...answer, replaced }, division),
    );
    if (!isNew) return false;
    if (isRepeated) this.#countAgain(annotator);
    else {
      this.#count(annotator, answer);
      annotator.note(given.record);
    }
    if (isRepeated) this.#learning.unlearn(given.record);
    if (answer.tags !== undefined) this.#learning.learn(read, answer.tags);
    this.#learning.next();
    this.#background.add(annotator.refreshing(() => this.model.model, scoredAgain));
    return true;
  }

  /**
   * Undoes the last answer of a person.
   *
   * @returns the record as it is shown again; undefined where there is no answer
   */
  undo(annotator: Annotator): ShownRecord | undefined {
    this.#background.finish();
    const undone = annotator.answers.undo();
    if (undone === undefined) return undefined;
    const { record } = undone.note;
    this.#countAgain(annotator);
    if (undone.tags !== undefined) this.#learning.unlearn(record);
    annotator.reopen(record);
    const shown = this.show(annotator, record);
    // As the person had left it.
    return undone.tags === undefined
      ? shown
      : { ...shown, tags: shown.tags.map((tag, t) => undone.tags![t] ?? tag) };
  }

  /** Records in which a text stands, from one on, at most so many. */
  search(text: string, from: number, most: number): number[] {
    const found: number[] = [];
    for (const record of this.reader.queue.search(text, from)) {
      found.push(record);
      if (found.length === most) break;
    }
    return found;
  }

  progress(annotator: Annotator): ShownProgress {
    return {
      total: annotator.total,
      answered: annotator.answers.size,
      accepted: annotator.progress.accepted,
      flagged: annotator.flagged,
      unreadable: this.reader.unreadable,
      ...annotator.progress.shown(),
      model: this.model.version,
    };
  }

  async close(): Promise<void> {
    this.#background.close();
    await this.#learning.close();
    for (const { answers } of this.#everybody) answers.close();
    this.reader.queue.close();
  }

  get #everybody(): readonly Annotator[] {
    return this.review === undefined ? this.annotators : [...this.annotators, this.review.by];
  }

  #openReview(out: string): { readonly of: Review; readonly by: Annotator } {
    const { task } = this.options;
    const of = new Review(this.annotators, task);
    const by = new Annotator(reviewer, answersPath(out, reviewer), this.reader, {
      ...{ strategy: sequential, seed: 1, task },
      mine: record => of.disputed.has(record),
      features: this.#features,
      total: () => of.disputed.size,
    });
    return { of, by };
  }

  #read(record: number): DividedRecord {
    const { size } = this.reader.queue;
    const read = record < size ? this.reader.read(record) : undefined;
    if (read === undefined) throw noSuch(`record ${record + 1}`, `there are ${size}`);
    return read;
  }

  #answerOf(
    annotator: Annotator,
    given: GivenAnswer,
    read: DividedRecord,
    shown: ShownRecord,
  ): Answer {
    const { record, answer, corrections, note, key, fixed = [] } = given;
    const { asked } = shown;
    const isAccepted = answer === 'accept';
    if (isAccepted) requireTags(this.options.task, given.tags ?? [], read);
    const known = asked === undefined ? undefined : new Set([...asked, ...fixed]);
    const tags = given.tags?.map((tag, t) => (known === undefined || known.has(t) ? tag : null));
    return {
      note: {
        ...{ record, digest: this.reader.queue.digest(record), answer },
        ...{ annotator: annotator.name, time: new Date().toISOString() },
        ...{ model: shown.model, proposed: shown.tags, asked, corrections },
        ...(annotator.drawn.has(record) ? { drawn: true } : {}),
        ...{ note, key },
      },
      tokens: read.tokens,
      ...(isAccepted ? { tags } : {}),
    };
  }

  #count(annotator: Annotator, { tags, note }: Answer): void {
    if (note.answer === 'flag') annotator.flagged += 1;
    if (tags === undefined) return;
    const { proposed, corrections, drawn = false } = note;
    annotator.progress.add(tags, proposed, { corrections, drawn });
  }

  #countAgain(annotator: Annotator): void {
    annotator.flagged = 0;
    annotator.progress.clear();
    for (const answer of annotator.answers.answers()) this.#count(annotator, answer);
  }

  /** Counts and learns what the files of answers hold. */
  async #resume(): Promise<void> {
    for (const annotator of this.#everybody) {
      this.#requireSameQueue(annotator);
      this.#countAgain(annotator);
      const { torn, path } = annotator.answers;
      if (torn > 0) {
        this.options.onNotice?.(`${path}: ${counted(torn, 'byte')} of an unfinished line cut off`);
      }
    }
    await this.#learning.resume();
    const model = () => this.model.model;
    const first = this.reader.read(0)?.sentences[0];
    if (first !== undefined) this.#learning.warmUp(first);
    for (const annotator of this.annotators) {
      for (const record of annotator.answers.records) annotator.note(record);
      for (const _ of annotator.refreshing(model, scoredFirst));
      this.#background.add(annotator.refreshing(model, scoredThen));
    }
  }

  /** @throws TagstreamError `config` where answers are to other records than those of the queue */
  #requireSameQueue({ answers }: Annotator): void {
    const { queue } = this.reader;
    for (const { note } of answers.answers()) {
      if (note.record < queue.size && queue.digest(note.record) === note.digest) continue;
      throw new TagstreamError(
        'config',
        `record ${note.record + 1} of ${queue.path} is not the one that was answered`,
        {
          place: { source: answers.path },
          fix: 'give the file of records as it was, with new ones at its end, or another --out',
        },
      );
    }
  }
}

/** `out.ndjson` of `anna` is `out.anna.ndjson`. */
function answersPath(out: string, name: string): string {
  return /\.[^./\\]+$/.test(out) ? out.replace(/(\.[^./\\]+)$/, `.${name}$1`) : `${out}.${name}`;
}

function noSuch(what: string, there: string): TagstreamError {
  return new TagstreamError('usage', `there is no ${what} (${there})`);
}
