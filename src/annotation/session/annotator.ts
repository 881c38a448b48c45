import { existsSync, readFileSync } from 'node:fs';
import { TagstreamError } from '../../engine/core/errors.js';
import { type Figure, isDefined } from '../../engine/core/figures.js';
import { Random } from '../../engine/core/random.js';
import type { Resources } from '../../engine/features/resources/resources.js';
import { matchScores } from '../../engine/metrics/scores/match-counts.js';
import type { TokenizeOptions } from '../../engine/operators/tokenize.js';
import { spansOf } from '../../engine/text/tags/spans.js';
import { parseAnswer } from '../answers/answer-line.js';
import { AnswersFile, type AnswersFileOptions } from '../answers/answers-file.js';
import type { SpanRules } from '../learning/span-rules.js';
import type { RecordQueue } from '../queue/record-queue.js';
import { type PoolOptions, QueryPool } from '../strategies/query-pool.js';
import { random } from '../strategies/strategies.js';
import type { Strategy } from '../strategies/strategy.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { ShownProgress } from '../task/shown-record.js';
import type { RecordReader } from './record-reader.js';
import { ShownLog } from './shown-log.js';

/** Counts of an accepted record. */
interface Counted {
  readonly correct: number;
  readonly gold: number;
  readonly predicted: number;
  readonly corrections: number;
  readonly drawn: boolean;
}

/** Number of accepted records that are evaluated together. */
const window = 50;
/** Minimum number of drawn records for an estimate, and maximum number that it uses. */
const [fewest, most] = [10, 100];
const resamples = 400;

/**
 * An annotator's progress, and the quality of the model before it learned from each answer.
 *
 * The progressive score covers all accepted records, which the strategy chose because they are
 * hard: it is lower than on fresh text. The estimate covers only the last hundred records drawn at
 * random, with an interval by the percentile bootstrap over records (Efron, 1979; seeded).
 */
class Progress {
  readonly #task: AnnotationTask;
  readonly #accepted: Counted[] = [];

  constructor(task: AnnotationTask) {
    this.#task = task;
  }

  get accepted(): number {
    return this.#accepted.length;
  }

  /**
   * Counts an accepted record. Tokens not in question do not count.
   *
   * @param drawn whether the record was drawn at random
   */
  add(
    tags: readonly (string | null)[],
    proposed: readonly string[],
    { corrections, drawn }: Pick<Counted, 'corrections' | 'drawn'>,
  ): void {
    const isWhole = tags.every(tag => tag !== null);
    const counts =
      this.#task.kind === 'spans' && isWhole
        ? spanCounts(tags as readonly string[], proposed)
        : tokenCounts(tags, proposed);
    this.#accepted.push({ ...counts, corrections, drawn });
  }

  clear(): void {
    this.#accepted.length = 0;
  }

  /** Returns all facts known from accepted records. */
  shown(): Pick<ShownProgress, 'corrections' | 'progressive' | 'estimate' | 'mayStop'> {
    const corrections = {
      last: mean(this.#accepted.slice(-window)),
      before: mean(this.#accepted.slice(-2 * window, -window)),
    };
    const estimate = this.#estimate();
    const progressive = scoreOf(this.#accepted);
    return {
      corrections,
      ...(progressive === null ? {} : { progressive }),
      ...(estimate === undefined ? {} : { estimate }),
      ...this.#mayStop(corrections),
    };
  }

  #estimate(): ShownProgress['estimate'] {
    const drawn = this.#accepted.filter(each => each.drawn).slice(-most);
    if (drawn.length < fewest) return undefined;
    const random = new Random(drawn.length);
    const score = scoreOf(drawn);
    if (score === null) return undefined;
    const resampled = Array.from({ length: resamples }, () =>
      scoreOf(drawn.map(() => drawn[random.below(drawn.length)]!)),
    );
    const scores = Float64Array.from(resampled.filter(isDefined)).sort();
    const at = (share: number) => scores[Math.floor(share * (scores.length - 1))]!;
    return { score, low: at(0.025), high: at(0.975), records: drawn.length };
  }

  /**
   * Returns the reason why labelling may stop: nothing is left to correct, or corrections no longer
   * decrease.
   */
  #mayStop({ last, before }: ShownProgress['corrections']): Pick<ShownProgress, 'mayStop'> {
    if (this.#accepted.length < 2 * window) return {};
    const numbers = `${last.toFixed(2)} corrections per record, after ${before.toFixed(2)}`;
    if (last <= 0.05) return { mayStop: `the last ${window} records had ${numbers}` };
    return last >= 0.95 * before
      ? { mayStop: `corrections no longer decrease: the last ${window} records had ${numbers}` }
      : {};
  }
}

function spanCounts(gold: readonly string[], proposed: readonly string[]) {
  const key = ({ label, start, end }: { label: string; start: number; end: number }) =>
    `${start} ${end} ${label}`;
  const wanted = new Set(spansOf(gold).map(key));
  const found = spansOf(proposed).map(key);
  const correct = found.filter(each => wanted.has(each)).length;
  return { correct, gold: wanted.size, predicted: found.length };
}

function tokenCounts(gold: readonly (string | null)[], proposed: readonly string[]) {
  const known = gold.filter(tag => tag !== null).length;
  const correct = gold.filter((tag, t) => tag !== null && tag === proposed[t]).length;
  return { correct, gold: known, predicted: known };
}

/** Returns the score of records; null if none of them has gold or predicted spans. */
function scoreOf(counted: readonly Counted[]): Figure {
  const sum = { correct: 0, gold: 0, predicted: 0 };
  for (const { correct, gold, predicted } of counted) {
    sum.correct += correct;
    sum.gold += gold;
    sum.predicted += predicted;
  }
  return matchScores(sum).f1;
}

function mean(counted: readonly Counted[]): number {
  const sum = counted.reduce((total, { corrections }) => total + corrections, 0);
  return counted.length === 0 ? 0 : sum / counted.length;
}

/**
 * Interval of the random draws: one of this many records is drawn at random, whatever the strategy,
 * to estimate the score.
 */
const drawEvery = 8;

/** An annotator's answers and queue. */
export class Annotator {
  readonly name: string;
  readonly answers: AnswersFile;
  readonly progress: Progress;
  readonly shown: ShownLog;
  /** Records that were drawn at random. */
  readonly drawn = new Set<number>();
  flagged = 0;
  readonly #total: () => number;
  readonly #mine: (record: number) => boolean;
  readonly #isOpen: (record: number) => boolean;
  readonly #pool: QueryPool;
  readonly #draws: QueryPool;
  readonly #shared: Shared | undefined;
  /** Whether there are unanswered shared records, which come before all others. */
  #isSharedFirst = false;

  /** @throws TagstreamError as `AnswersFile` */
  constructor(
    name: string,
    path: string,
    reader: RecordReader,
    options: Pick<SessionOptions, 'strategy' | 'seed'> & {
      readonly task: AnnotationTask;
      readonly mine: (record: number) => boolean;
      readonly features: PoolOptions['features'];
      readonly file: AnswersFileOptions;
      /** Returns the number of records; default: they are counted once. */
      readonly total?: () => number;
      readonly shared?: Shared | undefined;
    },
  ) {
    this.name = name;
    this.answers = new AnswersFile(path, options.file);
    this.shown = new ShownLog(path);
    this.progress = new Progress(options.task);
    this.#mine = options.mine;
    const { strategy, seed = 1, features } = options;
    const { size } = reader.queue;
    this.#total = options.total ?? counted(size, this.#mine);
    this.#shared = options.shared;
    const isOpen = (record: number) => !this.answers.has(record) && reader.isReadable(record);
    this.#isOpen = isOpen;
    const parts = {
      size,
      isOpen: (record: number) =>
        (this.#isSharedFirst ? this.#shared!.has(record) : this.#mine(record)) && isOpen(record),
      read: (record: number) => reader.read(record)?.sentences,
      features,
    };
    this.#pool = new QueryPool({ ...parts, strategy, seed });
    this.#draws = new QueryPool({ ...parts, strategy: random, seed: seed + 1 });
  }

  close(): void {
    this.shown.close();
    this.answers.close();
  }

  /** Number of the annotator's records. */
  get total(): number {
    return this.#total();
  }

  /**
   * Returns the next record to label; undefined if all are answered. Shared records come first,
   * starting with those that others have answered, so that agreement is known early.
   */
  next(model: Parameters<QueryPool['next']>[0]): number | undefined {
    this.#lookForShared();
    const found = this.#chosen(model);
    if (found !== undefined || !this.#isSharedFirst) return found;
    // The remaining shared records cannot be read.
    this.#isSharedFirst = false;
    return this.#chosen(model);
  }

  #chosen(model: Parameters<QueryPool['next']>[0]): number | undefined {
    const draws = this.answers.size % drawEvery === drawEvery - 1;
    const record = draws
      ? this.#draws.next(model)
      : (this.#answeredByOthers() ?? this.#pool.next(model));
    if (record !== undefined && draws) this.drawn.add(record);
    return record;
  }

  #answeredByOthers(): number | undefined {
    if (!this.#isSharedFirst) return undefined;
    for (const record of this.#shared!.answered()) {
      if (this.#shared!.has(record) && this.#isOpen(record)) return record;
    }
    return undefined;
  }

  #lookForShared(): void {
    this.#isSharedFirst = this.#shared?.records.some(this.#isOpen) === true;
  }

  /** Notes that a record was answered for the first time. */
  note(record: number): void {
    this.#pool.note(record);
  }

  /** Rescores some records, one per step. */
  refreshing(model: () => Parameters<QueryPool['next']>[0], count: number): Iterable<void> {
    this.#lookForShared();
    return this.#pool.refreshing(model, count);
  }

  /** Reopens a record whose answer was undone, unless an earlier answer is restored. */
  reopen(record: number): void {
    if (!this.answers.has(record)) this.#pool.reopen(record);
  }

  /** Returns whether a record belongs to this annotator. */
  has(record: number): boolean {
    return this.#mine(record);
  }
}

function counted(size: number, mine: (record: number) => boolean): () => number {
  let total = 0;
  for (let record = 0; record < size; record += 1) if (mine(record)) total += 1;
  return () => total;
}

/** The records that every annotator gets. */
export interface Shared {
  readonly records: readonly number[];
  readonly has: (record: number) => boolean;
  /** Returns the records that others have answered; it may include their other records. */
  readonly answered: () => Iterable<number>;
}

/** Options of a session. */
export interface SessionOptions {
  /** Records to label, or their file's name; the session closes them. */
  readonly queue: RecordQueue | string;
  /** Answers file; with several annotators each has its own file next to it, `out.NAME.ndjson`. */
  readonly out: string;
  readonly task: AnnotationTask;
  /**
   * Preset of the templates, if there is no initial model. Default: `ner` for spans, `pos` for
   * tags.
   */
  readonly preset?: 'ner' | 'chunk' | 'pos' | undefined;
  readonly resources?: Resources | undefined;
  /** Initial model file. */
  readonly model?: Uint8Array | undefined;
  /** Rules that propose spans until the model has learned from some answers. */
  readonly rules?: SpanRules | undefined;
  readonly tokenizer?: TokenizeOptions | undefined;
  readonly strategy: Strategy;
  /** Seed of the random draws. Default 1. */
  readonly seed?: number | undefined;
  /** Annotator names. Default: one annotator without a name. */
  readonly annotators?: readonly string[] | undefined;
  /** Share of the records that every annotator gets. Default 0. */
  readonly overlap?: number | undefined;
  /**
   * Whether the model is trained from scratch in the background. Default true, unless there is an
   * initial model.
   */
  readonly retrain?: boolean | undefined;
  /** Receives notices for the user at the terminal. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/**
 * Returns a function that decides whether an annotator gets a record.
 *
 * Each record is assigned independently, by the seed and its position, so that shares do not change
 * when a session is resumed: with probability `overlap` to all annotators, otherwise to a uniformly
 * drawn one.
 *
 * @example
 * const share = shares({ people: 2, overlap: 0, seed: 1 });
 * share(7, 0) !== share(7, 1) // => true
 */
export function shares(options: {
  readonly people: number;
  readonly overlap: number;
  readonly seed: number;
}): (record: number, person: number) => boolean {
  const { people, overlap, seed } = options;
  if (people === 1) return () => true;
  return (record, person) => {
    const random = new Random(Math.imul(record + 1, 0x9e3779b1) ^ seed);
    return random.uniform() < overlap || random.below(people) === person;
  };
}

/** Returns the records that every annotator gets; each of the others belongs to one annotator. */
export function sharedRecords(
  size: number,
  share: (record: number, person: number) => boolean,
): number[] {
  const all = Array.from({ length: size }, (_, record) => record);
  return all.filter(record => share(record, 0) && share(record, 1));
}

/**
 * Requires that a file to be replaced by the merged labels contains nothing else: each of its
 * answers is by one of the annotators, who already has an answers file.
 *
 * @throws TagstreamError `config` for answers by others, such as a single annotator without a name;
 *   `wrong-shape` for a file that `annotate` has not written
 */
export function requireOwnAnswers(out: string, everybody: readonly Annotator[]): void {
  if (!existsSync(out)) return;
  const known = new Set(
    everybody.filter(({ answers }) => answers.size > 0).map(({ name }) => name),
  );
  for (const [i, line] of readFileSync(out, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = { source: out, line: i + 1 };
    let annotator: string;
    try {
      annotator = parseAnswer(line).note.annotator;
    } catch (thrown) {
      throw TagstreamError.from(thrown, 'wrong-shape', place);
    }
    if (known.has(annotator)) continue;
    const whose = annotator === '' ? 'a single annotator' : annotator;
    throw new TagstreamError('config', `the answer belongs to ${whose} and would be lost`, {
      place,
      fix: 'give another --out for several annotators, or rename the file for one of them, such as out.anna.ndjson',
    });
  }
}
