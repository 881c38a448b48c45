import { TagstreamError } from '../../engine/core/errors.js';
import type { Answer, GivenAnswer } from '../answers/answer.js';
import { answerLine } from '../answers/answer-line.js';
import type { AnswersFileOptions } from '../answers/answers-file.js';
import type { AnnotationModel } from '../learning/annotation-model.js';
import { RecordQueue } from '../queue/record-queue.js';
import { hashedFeatures } from '../strategies/feature-weights.js';
import { sequential } from '../strategies/strategies.js';
import { askedTokens } from '../strategies/strategy.js';
import { constraintsOf, type FixedTags } from '../task/fixed-tags.js';
import type { ListedRecord, ShownProgress, ShownRecord } from '../task/shown-record.js';
import {
  Annotator,
  requireOwnAnswers,
  type SessionOptions,
  type Shared,
  sharedRecords,
  shares,
} from './annotator.js';
import { BackgroundWork, Learning } from './learning.js';
import { Proposer, requireTags, tagsFit } from './proposer.js';
import { areGuessed, type DividedRecord, RecordReader, withSpansAcross } from './record-reader.js';
import { Review } from './review.js';
import type { Showing } from './shown-log.js';

/**
 * Number of records scored before the first question, in the background at the start, and after
 * each answer.
 */
const [scoredFirst, scoredThen, scoredAgain] = [64, 336, 64];

/** Name of the person who decides where annotators disagree. */
const reviewer = 'review';

/** Milliseconds between checks of the answers files for changes by other programs. */
const lookEvery = 1000;

/**
 * A labelling session over a file's records: questions, proposals, answers, and the model that
 * learns from the answers.
 *
 * An answer is on the disk before `answer` returns. Opening a session resumes it: the answers in
 * the file are counted, and the model is trained on them.
 */
export class AnnotationSession {
  readonly options: SessionOptions;
  readonly reader: RecordReader;
  readonly annotators: readonly Annotator[];
  /** Versions of the annotators, and the reviewer who decides where they disagree. */
  readonly review: { readonly of: Review; readonly by: Annotator } | undefined;
  readonly #proposer: Proposer;
  readonly #learning: Learning;
  readonly #background: BackgroundWork;
  #watch: NodeJS.Timeout | undefined;
  readonly #features = hashedFeatures(() => this.model.model);

  private constructor(options: SessionOptions) {
    this.options = options;
    const { queue, task, out, preset, resources, model: bytes, seed = 1 } = options;
    const notice = options.onNotice ?? (() => undefined);
    const records = typeof queue === 'string' ? new RecordQueue(queue) : queue;
    this.reader = new RecordReader(records, options.tokenizer ?? {}, notice);
    const chosen = preset ?? (task.kind === 'spans' ? 'ner' : 'pos');
    const { annotators = [''], overlap = 0 } = options;
    const share = shares({ people: annotators.length, overlap, seed });
    const all = annotators.length === 1 ? [] : sharedRecords(this.reader.queue.size, share);
    this.annotators = annotators.map((name, i) => {
      const path = annotators.length === 1 ? out : answersPath(out, name);
      const mine = (record: number) => share(record, i);
      const { strategy } = options;
      const file = this.#answersOptions(name, mine, notice);
      const shared = all.length === 0 ? undefined : this.#sharedOf(name, all);
      const parts = {
        strategy,
        seed: seed + i,
        task,
        mine,
        features: this.#features,
        file,
        shared,
      };
      return new Annotator(name, path, this.reader, parts);
    });
    this.review = annotators.length === 1 ? undefined : this.#openReview(out, notice);
    this.#background = new BackgroundWork(thrown =>
      notice(`the model could not learn: ${TagstreamError.from(thrown, 'stage').message}`),
    );
    this.#learning = new Learning({
      ...{ reader: this.reader, annotators: this.annotators, review: this.review },
      start: { task, preset: chosen, columns: this.reader.columns, resources, bytes, seed },
      retrain: options.retrain ?? bytes === undefined,
      ...{ background: this.#background, onNotice: notice },
    });
    this.#proposer = new Proposer(this.model, options.rules, notice);
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

  /** @throws TagstreamError `usage` if there is no annotator with that name */
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

  /** Returns an annotator's next record; undefined if all are answered. */
  next(annotator: Annotator): ShownRecord | undefined {
    if (annotator === this.review?.by) this.review.of.refresh();
    const record = annotator.next(this.model.model);
    return record === undefined ? undefined : this.show(annotator, record);
  }

  /**
   * Returns a record to show, with its answer if there is one, otherwise with a proposal.
   *
   * @throws TagstreamError `usage` if the record does not exist or cannot be read
   */
  show(annotator: Annotator, record: number): ShownRecord {
    return this.#show(annotator, record, annotator.answers.of(record));
  }

  /** @param answer answer whose tags are shown; if it was undone, they are no longer stored */
  #show(annotator: Annotator, record: number, answer: Answer | undefined): ShownRecord {
    const read = this.#read(record);
    const { tags, marginals } = this.#proposer.propose(read);
    const asked = this.#askedOf(annotator, read, marginals, answer);
    const { id: showing } = annotator.shown.add(this.reader.queue.digest(record), {
      ...{ record, proposed: tags, asked, model: this.model.version },
      ...(annotator.drawn.has(record) ? { drawn: true } : {}),
    });
    const kept = annotator.answers.of(record)?.note;
    const review = annotator === this.review?.by ? this.review.of : undefined;
    const decided = answer?.tags ?? review?.agreed(record);
    // The log stores the model's unconstrained proposal.
    const start =
      review === undefined || decided === undefined
        ? { tags, marginals }
        : this.#proposer.propose(withSpansAcross(read, decided), decided);
    return {
      ...{ record, showing },
      id: read.document.id,
      text: read.document.text,
      tokens: read.tokens,
      offsets: read.offsets,
      sentences: read.ranges,
      ...(areGuessed(read) ? { isGuessed: true } : {}),
      tags: start.tags.map((tag, t) => answer?.tags?.[t] ?? tag),
      marginals: start.marginals.map((p, t) => (answer?.tags?.[t] == null ? p : 1)),
      ...(asked === undefined ? {} : { asked }),
      ...(kept === undefined ? {} : { answered: { answer: kept.answer, note: kept.note } }),
      ...(review === undefined ? {} : { versions: review.versions(record), decided }),
      model: this.model.version,
    };
  }

  /**
   * Returns the tokens in question: those of a question, or those of which the model is unsure,
   * together with those answered before. Undefined: all.
   */
  #askedOf(
    annotator: Annotator,
    read: DividedRecord,
    marginals: readonly number[],
    answer: Answer | undefined,
  ): readonly number[] | undefined {
    // The reviewer decides the whole record.
    if (annotator === this.review?.by) return undefined;
    const asksTokens = this.options.strategy.asksTokens === true;
    const wanted = read.asked ?? (asksTokens ? askedTokens(marginals) : undefined);
    if (wanted === undefined) return undefined;
    const asked = new Set(wanted);
    return marginals.flatMap((_, t) => (asked.has(t) || answer?.tags?.[t] != null ? [t] : []));
  }

  /**
   * Returns the best tags of a record given the fixed ones.
   *
   * @throws TagstreamError `usage` for tags that do not fit the record
   */
  propose(record: number, fixed: FixedTags) {
    const read = this.#readFor(record, fixed);
    requireTags(this.options.task, fixed, read);
    const { tags, marginals } = this.#proposer.propose(read, fixed);
    // The page shows percentages: fewer digits are faster to send and parse.
    const shown = marginals.map(p => Math.round(1e4 * p) / 1e4);
    return { tags, marginals: shown, model: this.model.version };
  }

  /** Returns the best tag sequences of a token's sentence, and the reasons for the token's tag. */
  explain(record: number, token: number, fixed: FixedTags) {
    const read = this.#readFor(record, fixed);
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
   * Writes an answer to the disk, then learns from it.
   *
   * @returns whether the answer was new: a key is accepted once, and a duplicate answer changes
   * nothing
   * @throws TagstreamError `usage` for an answer that does not fit the record, `file` if it cannot be stored
   */
  answer(annotator: Annotator, given: GivenAnswer): boolean {
    this.#background.finish();
    const read = this.#readFor(given.record, given.tags ?? []);
    if (!annotator.has(given.record)) throw noSuch(`record ${given.record + 1}`, 'of this person');
    // Changes by other programs come first.
    annotator.answers.sync();
    if (annotator.answers.knows(given.record, given.key)) return false;
    const showing = this.#showingOf(annotator, given, read);
    const isRepeated = annotator.answers.has(given.record);
    const answer = this.#answerOf(annotator, given, read, showing);
    const { raw, tokens, sentences } = read.document;
    const isDivided = tokens === undefined || sentences !== undefined;
    const division = { offsets: read.offsets, ...(isDivided ? { sentences: read.ranges } : {}) };
    const isNew = annotator.answers.add(given, replaced =>
      answerLine(raw!, { ...answer, replaced }, division),
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
   * Undoes an annotator's last answer.
   *
   * @returns the record to show again; undefined if there is no answer
   */
  undo(annotator: Annotator): ShownRecord | undefined {
    this.#background.finish();
    const undone = annotator.answers.undo();
    if (undone === undefined) return undefined;
    const { record } = undone.note;
    this.#countAgain(annotator);
    if (undone.tags !== undefined) this.#learning.unlearn(record);
    annotator.reopen(record);
    // Shown as the annotator had left it.
    const answer = undone.tags === undefined ? annotator.answers.of(record) : undone;
    return this.#show(annotator, record, answer);
  }

  /** Returns up to `most` records that contain a text, starting from a record. */
  search(annotator: Annotator, text: string, from: number, most: number): ListedRecord[] {
    const found: ListedRecord[] = [];
    for (const record of this.reader.queue.search(text, from)) {
      found.push(this.#listed(annotator, record, text));
      if (found.length === most) break;
    }
    return found;
  }

  /** Returns up to `most` of an annotator's answered records, newest first, starting from one. */
  answered(annotator: Annotator, from: number, most: number): ListedRecord[] {
    const records = [...annotator.answers.records].reverse().slice(from, from + most);
    return records.map(record => this.#listed(annotator, record, ''));
  }

  #listed(annotator: Annotator, record: number, around: string): ListedRecord {
    const note = annotator.answers.of(record)?.note;
    const read = this.reader.read(record);
    const text = (read?.document.text ?? read?.tokens.join(' ') ?? '').replace(/\s+/g, ' ');
    const at = text.toLowerCase().indexOf(around.toLowerCase());
    return {
      record,
      text: excerpt(text, Math.max(0, at)),
      state: note?.answer ?? (annotator.has(record) ? 'open' : 'other'),
      ...(note?.note === undefined ? {} : { note: note.note }),
    };
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
    this.#look();
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#background.close();
    await this.#learning.close();
    const failures: unknown[] = [];
    for (const annotator of this.#everybody) {
      try {
        annotator.close();
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    this.reader.queue.close();
    if (failures.length > 0) throw failures[0];
  }

  get #everybody(): readonly Annotator[] {
    return this.review === undefined ? this.annotators : [...this.annotators, this.review.by];
  }

  /**
   * Returns options that check whether an answer written by another program can belong to an
   * annotator.
   */
  #answersOptions(
    name: string,
    mine: (record: number) => boolean,
    onNotice: (text: string) => void,
  ): AnswersFileOptions {
    const accepts = ({ note, tokens, tags }: Answer) => {
      const { record, digest, annotator, answer } = note;
      const { queue } = this.reader;
      if (record >= queue.size || queue.digest(record) !== digest || !mine(record)) return false;
      const read = this.reader.read(record);
      const isOwn = annotator === name || annotator === '';
      if (!isOwn || read === undefined || (tags !== undefined) !== (answer === 'accept'))
        return false;
      const isSame = read.tokens.join('\n') === tokens.join('\n');
      return (
        isSame &&
        (tags === undefined || tagsFit(this.options.task, tags, withSpansAcross(read, tags)))
      );
    };
    const onChange = (records: readonly number[]) => this.#relearn(name, records);
    return { onNotice, accepts, onChange };
  }

  /** Counts and learns from answers that another program has written. */
  #relearn(name: string, records: readonly number[]): void {
    const annotator = this.annotator(name);
    this.#countAgain(annotator);
    // Nothing is learned during shutdown.
    if (this.#watch === undefined) return;
    for (const record of records) {
      annotator.note(record);
      this.#learning.unlearn(record);
    }
  }

  #sharedOf(name: string, records: readonly number[]): Shared {
    const known = new Set(records);
    const others = () => this.annotators.filter(each => each.name !== name);
    return {
      records,
      has: record => known.has(record),
      *answered() {
        for (const { answers } of others()) yield* answers.records;
      },
    };
  }

  #openReview(
    out: string,
    notice: (text: string) => void,
  ): { readonly of: Review; readonly by: Annotator } {
    const { task } = this.options;
    const of = new Review(this.annotators, task);
    const mine = (record: number) => of.disputed.has(record);
    const by = new Annotator(reviewer, answersPath(out, reviewer), this.reader, {
      ...{ strategy: sequential, seed: 1, task, mine },
      file: this.#answersOptions(reviewer, () => true, notice),
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

  /** Returns a record with the sentences that the spans of some tags leave; see `withSpansAcross`. */
  #readFor(record: number, tags: FixedTags): DividedRecord {
    return withSpansAcross(this.#read(record), tags);
  }

  /**
   * Returns the showing of a record to which an answer refers.
   *
   * @throws TagstreamError `usage` if the answer is for another record, or names tokens not in question
   */
  #showingOf(
    annotator: Annotator,
    { record, showing: id, asked }: GivenAnswer,
    read: DividedRecord,
  ): Omit<Showing, 'id'> {
    const again = { fix: 'reload the page' };
    const isOther = id !== undefined && !id.startsWith(`${this.reader.queue.digest(record)}-`);
    const found = id === undefined ? annotator.shown.last(record) : annotator.shown.find(id);
    if (isOther || (found !== undefined && found.record !== record)) {
      throw new TagstreamError(
        'usage',
        `the page showed a different record, not record ${record + 1}`,
        again,
      );
    }
    if (found !== undefined) {
      if (asked === undefined || asked.join() === (found.asked ?? []).join()) return found;
      throw new TagstreamError(
        'usage',
        'the answer covers other tokens than the page asked about',
        again,
      );
    }
    if (id === undefined) {
      this.show(annotator, record);
      return annotator.shown.last(record)!;
    }
    // The log is gone, or the page was opened long ago: only the content of its request is known.
    if (asked?.some(t => t >= read.tokens.length) === true) {
      throw new TagstreamError(
        'usage',
        'the answer covers tokens that the record does not have',
        again,
      );
    }
    return {
      record,
      asked,
      proposed: this.#proposer.propose(read).tags,
      model: this.model.version,
    };
  }

  #answerOf(
    annotator: Annotator,
    given: GivenAnswer,
    read: DividedRecord,
    showing: Omit<Showing, 'id'>,
  ): Answer {
    const { record, answer, corrections, note, key, fixed = [] } = given;
    const { asked, model, proposed, drawn } = showing;
    const isAccepted = answer === 'accept';
    if (isAccepted) requireTags(this.options.task, given.tags ?? [], read);
    const known = asked === undefined ? undefined : new Set([...asked, ...fixed]);
    const tags = given.tags?.map((tag, t) => (known === undefined || known.has(t) ? tag : null));
    return {
      note: {
        ...{ record, digest: this.reader.queue.digest(record), answer },
        ...{ annotator: annotator.name, time: new Date().toISOString() },
        ...{ model, proposed, asked, corrections },
        ...(drawn === true ? { drawn } : {}),
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

  /** Counts the answers in the files, and learns from them. */
  async #resume(): Promise<void> {
    for (const annotator of this.#everybody) {
      this.#requireSameQueue(annotator);
      this.#countAgain(annotator);
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
    this.#watch = setInterval(() => this.#look(), lookEvery).unref();
  }

  /** Repairs answers files to which another program has written. */
  #look(): void {
    for (const { answers } of this.#everybody) {
      try {
        answers.sync();
      } catch (thrown) {
        this.options.onNotice?.(TagstreamError.from(thrown, 'file').message);
      }
    }
  }

  /** @throws TagstreamError `config` if answers belong to records that are not in the queue */
  #requireSameQueue({ answers }: Annotator): void {
    const { queue } = this.reader;
    for (const { note } of answers.answers()) {
      if (note.record < queue.size && queue.digest(note.record) === note.digest) continue;
      throw new TagstreamError(
        'config',
        `record ${note.record + 1} of ${queue.path} differs from the answered record`,
        {
          place: { source: answers.path },
          fix: 'restore the records file and append new records to its end, or give another --out',
        },
      );
    }
  }
}

/** Returns the path of an annotator's file: `out.ndjson` of `anna` is `out.anna.ndjson`. */
function answersPath(out: string, name: string): string {
  return /\.[^./\\]+$/.test(out) ? out.replace(/(\.[^./\\]+)$/, `.${name}$1`) : `${out}.${name}`;
}

/** Maximum characters of a text in a list, and number of those that precede a match. */
const [mostListed, before] = [160, 40];

/** Returns the part of a text around a position, with dots where it is cut. */
function excerpt(text: string, at: number): string {
  const start = at <= before ? 0 : at - before;
  const end = start + mostListed;
  // Half of a surrogate pair is not a character.
  const part = text.slice(start, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '… ' : ''}${part}${end < text.length ? ' …' : ''}`;
}

function noSuch(what: string, there: string): TagstreamError {
  return new TagstreamError('usage', `there is no ${what} (${there})`);
}
