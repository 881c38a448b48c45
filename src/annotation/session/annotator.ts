import { AnswersFile, type AnswersFileOptions } from '../answers/answers-file.js';
import { Progress } from '../progress/progress.js';
import { type PoolOptions, QueryPool } from '../strategies/query-pool.js';
import { random } from '../strategies/random.js';
import type { AnnotationTask } from '../task/annotation-task.js';
import type { RecordReader } from './record-reader.js';
import type { SessionOptions } from './session-options.js';
import { ShownLog } from './shown-log.js';

/** One in so many records is drawn at random, whatever the strategy: the estimate of the score needs such. */
const drawEvery = 8;

/** What a person has answered, and what comes next. */
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
  readonly #pool: QueryPool;
  readonly #draws: QueryPool;

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
      /** How many these are; default: counted once. */
      readonly total?: () => number;
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
    const parts = {
      size,
      isOpen: (record: number) =>
        this.#mine(record) && !this.answers.has(record) && reader.isReadable(record),
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

  /** Records that are this person's. */
  get total(): number {
    return this.#total();
  }

  /** The record to be asked next; undefined where all are answered. */
  next(model: Parameters<QueryPool['next']>[0]): number | undefined {
    const draws = this.answers.size % drawEvery === drawEvery - 1;
    const record = draws ? this.#draws.next(model) : this.#pool.next(model);
    if (record === undefined) return undefined;
    if (draws) this.drawn.add(record);
    return record;
  }

  /** Notes that a record was answered for the first time. */
  note(record: number): void {
    this.#pool.note(record);
  }

  /** Scores some records anew, one at each step. */
  refreshing(model: () => Parameters<QueryPool['next']>[0], count: number): Iterable<void> {
    return this.#pool.refreshing(model, count);
  }

  /** Makes a record open again whose answer was undone; not where an earlier one holds again. */
  reopen(record: number): void {
    if (!this.answers.has(record)) this.#pool.reopen(record);
  }

  /** Whether a record is one of this person's. */
  has(record: number): boolean {
    return this.#mine(record);
  }
}

function counted(size: number, mine: (record: number) => boolean): () => number {
  let total = 0;
  for (let record = 0; record < size; record += 1) if (mine(record)) total += 1;
  return () => total;
}
