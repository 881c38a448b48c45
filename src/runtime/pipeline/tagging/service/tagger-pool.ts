import { TagstreamError } from '../../../../engine/core/errors.js';
import { requireKnown } from '../../../../engine/core/schema/require-argument.js';
import type { Column } from '../../../../engine/core/sentence/document.js';
import { defaultMaxTokens } from '../../../../engine/core/sentence/sentence-limit.js';
import type { TagRule } from '../../../../engine/models/decoding/tag-rules.js';
import type { TokenExplanation } from '../../../../engine/models/inspection/explanation.js';
import type {
  Analysis,
  AnalyzeOptions,
  TaggedText,
  TaggerOptions,
  TaggerSentence,
  TagTextOptions,
} from '../../../../engine/models/tagger.js';
import { defaultMaxLineBytes } from '../../../../formats/lines/line-splitter.js';
import { type NamedModel, readModelBytes } from '../../../io/read-model-bytes.js';
import { threadFile } from '../../../thread-file.js';
import { WorkerPool } from '../../../workers/worker-pool.js';
import {
  type RequestLimits,
  requestOptionNames,
  requireShortSentences,
  requireShortText,
  requireSignal,
  requireTimeout,
  type TaggerRequestOptions,
  untilCancelled,
} from './request-options.js';

/** The options of `TaggerPool.load`. */
export interface TaggerPoolOptions extends TaggerOptions {
  /** Number of tagging threads. Default 2. */
  readonly threads?: number | undefined;
  /** A model file whose learned tokenizer splits texts, instead of the model's own. */
  readonly tokenizer?: string | undefined;
  /** Maximum number of pending requests. Default 1024. */
  readonly mostPending?: number | undefined;
  /** Default timeout of a request in milliseconds. Default: no limit. */
  readonly timeout?: number | undefined;
  /**
   * Maximum number of bytes of a text, or of the tokens of a request; larger ones are rejected (`too-long`). Default 16
   * MiB.
   */
  readonly maxTextBytes?: number | undefined;
  /**
   * Maximum number of tokens of a sentence. A request may have 16 times as many tokens and twice as many sentences;
   * larger ones are rejected (`too-large`). Default 100,000.
   */
  readonly maxTokens?: number | undefined;
}

const optionNames = [
  'threads',
  'tokenizer',
  'mostPending',
  'timeout',
  'maxTextBytes',
  'maxTokens',
  'rules',
];

/** A model file, or several that tag one after the other, each into its own column. */
export type ModelPaths = string | readonly (string | NamedModel)[];

/** Maximum number of threads, each of which has its own model. */
const mostThreads = 64;

type Workers = WorkerPool<TaggerSetup, TaggerTask, TaggerResult>;

/** The options of a pool, with defaults. */
interface PoolSettings
  extends RequestLimits,
    Pick<TaggerPoolOptions, 'timeout' | 'rules' | 'tokenizer'> {
  readonly threads: number;
  readonly mostPending: number;
}

/** Threads that tag with the same model, and their pending requests. */
interface Crew {
  readonly workers: Workers;
  readonly pending: Set<Promise<unknown>>;
}

/**
 * Tags in its own threads, for services: the calling thread stays responsive.
 *
 * A request goes to the least busy thread, and answers come in any order. At most `mostPending` requests can be
 * pending; further ones are rejected (`busy`). `room` resolves, for one caller at a time, once there is room for a
 * request. A request that is too large is rejected at once, as a source rejects a record. Each request costs a round
 * trip to a thread: send several sentences in one request.
 */
export class TaggerPool {
  #path: ModelPaths;
  #crew: Crew;
  readonly #settings: PoolSettings;
  readonly #pending = new Set<Promise<unknown>>();
  /** Callers waiting in `room`, and places reserved for admitted callers that have not sent a request yet. */
  readonly #waiting: (() => void)[] = [];
  #kept = 0;
  /** Resolves when models have been read and replaced threads have finished their last requests. */
  #changing: Promise<unknown> = Promise.resolve();
  readonly #leaving = new Set<Promise<unknown>>();
  #closed = false;

  /**
   * Reads a model file, starts the threads, and resolves to the pool when all of them can tag.
   *
   * @param path a model file, or several, of which the first tokenizes and the others tag after it, as with `--model`
   * @param options number of threads, limits, rules and a tokenizer
   * @throws (rejects with) TagstreamError `file`, `model-format`, `model-version`, `model-damaged`; `config` for wrong
   *   options, or if the model needs a plug-in
   */
  static async load(path: ModelPaths, options: TaggerPoolOptions = {}): Promise<TaggerPool> {
    requireKnown('TaggerPool.load', options, optionNames);
    const { threads = 2, mostPending = 1024 } = options;
    if (threads > mostThreads) {
      throw new TagstreamError('config', `a pool cannot have ${threads} threads`, {
        fix: `use at most ${mostThreads}; more threads than processors gain nothing`,
      });
    }
    if (!Number.isInteger(mostPending) || mostPending < 1) {
      throw new TagstreamError('config', `a pool cannot have ${mostPending} requests`, {
        fix: 'give mostPending at least 1',
      });
    }
    requireTimeout(options.timeout);
    const { maxTextBytes = defaultMaxLineBytes, maxTokens = defaultMaxTokens } = options;
    for (const [name, limit] of Object.entries({ maxTextBytes, maxTokens })) {
      if (Number.isInteger(limit) && limit >= 1) continue;
      throw new TagstreamError('config', `${name} is ${limit}`, { fix: 'give at least 1' });
    }
    const { timeout, rules, tokenizer } = options;
    const settings = { threads, mostPending, timeout, rules, tokenizer, maxTextBytes, maxTokens };
    return new TaggerPool(await startWorkers(path, settings), path, settings);
  }

  private constructor(workers: Workers, path: ModelPaths, settings: PoolSettings) {
    this.#crew = { workers, pending: new Set() };
    this.#path = path;
    this.#settings = settings;
  }

  /** Number of unanswered requests. */
  get pending(): number {
    return this.#pending.size;
  }

  /**
   * Tags a sentence with `Tagger.tag` in a thread.
   *
   * @throws (rejects with) TagstreamError like `Tagger.tag`; `busy` if the queue is full; `too-long` and `too-large`
   *   beyond the pool's limits; `timeout`; `worker` after `close` or if a thread has died; or the signal's reason
   */
  async tag(
    tokens: readonly string[],
    columns: Readonly<Record<string, Column>> = {},
    request: TaggerRequestOptions = {},
  ): Promise<string[]> {
    return (await this.tagMany([{ tokens, columns }], request))[0]!;
  }

  /** Tags sentences with `Tagger.tagMany`, all in the same thread. Rejects like `tag`. */
  async tagMany(
    sentences: Iterable<TaggerSentence>,
    request: TaggerRequestOptions = {},
  ): Promise<string[][]> {
    requireKnown('tagMany', request, requestOptionNames);
    const all = [...sentences];
    requireShortSentences(all, this.#settings);
    return this.#ask({ what: 'tags', sentences: all }, request);
  }

  /** Tags a text with `Tagger.tagText` and its options in a thread. Rejects like `tag`. */
  async tagText(
    text: string,
    { signal, timeout, ...options }: TagTextOptions & TaggerRequestOptions = {},
  ): Promise<TaggedText> {
    requireShortText(text, this.#settings);
    const { maxTokens } = this.#settings;
    const task = { what: 'text', text, options: { maxTokens, ...options } } as const;
    return this.#ask(task, { signal, timeout });
  }

  /** Analyzes a sentence with `Tagger.analyze` and its options in a thread. Rejects like `tag`. */
  async analyze(
    tokens: readonly string[],
    columns: Readonly<Record<string, Column>> = {},
    { signal, timeout, ...options }: AnalyzeOptions & TaggerRequestOptions = {},
  ): Promise<Analysis> {
    requireShortSentences([tokens], this.#settings);
    return this.#ask(
      { what: 'analysis', given: { tokens, columns }, options },
      { signal, timeout },
    );
  }

  /** Explains a sentence with `Tagger.explain` in a thread. Rejects like `tag`. */
  async explain(
    tokens: readonly string[],
    columns: Readonly<Record<string, Column>> = {},
    request: TaggerRequestOptions = {},
  ): Promise<TokenExplanation[]> {
    requireKnown('explain', request, requestOptionNames);
    requireShortSentences([tokens], this.#settings);
    return this.#ask({ what: 'explanation', given: { tokens, columns } }, request);
  }

  /**
   * Reads a model file, starts threads with it, and resolves when all of them can tag. Until then the old threads tag;
   * afterwards they finish their requests, so that no request is lost. Meanwhile both models are in memory.
   *
   * @param path default: the last file read, which may have been replaced
   * @throws (rejects with) TagstreamError like `load`; the old model stays in use
   */
  async reload(path: ModelPaths = this.#path): Promise<void> {
    this.#requireOpen();
    const changed = this.#changing.then(() => this.#change(path));
    this.#changing = changed.catch(() => undefined);
    await changed;
  }

  async #change(path: ModelPaths): Promise<void> {
    const workers = await startWorkers(path, this.#settings);
    const old = this.#crew;
    this.#path = path;
    this.#crew = { workers, pending: new Set() };
    const left = Promise.all(old.pending).then(() => old.workers.close());
    this.#leaving.add(left);
    void left.finally(() => this.#leaving.delete(left));
  }

  /** Resolves when there is room for a request, and reserves it until other events are handled. */
  room(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve);
      this.#letIn();
    });
  }

  #letIn(): void {
    const before = this.#kept;
    while (
      this.#waiting.length > 0 &&
      this.#pending.size + this.#kept < this.#settings.mostPending
    ) {
      this.#kept += 1;
      this.#waiting.shift()!();
    }
    if (before > 0 || this.#kept === 0) return;
    setImmediate(() => {
      this.#kept = 0;
      this.#letIn();
    });
  }

  /** Stops accepting requests, waits for the pending ones, and ends the threads. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#changing;
    await Promise.all([...this.#pending, ...this.#leaving]);
    await this.#crew.workers.close();
  }

  #requireOpen(): void {
    if (this.#closed) throw new TagstreamError('worker', 'the pool is closed');
  }

  async #ask<Task extends TaggerTask>(
    task: Task,
    { signal, timeout = this.#settings.timeout }: TaggerRequestOptions,
  ): Promise<TaggerResults[Task['what']]> {
    requireTimeout(timeout);
    requireSignal(signal);
    this.#requireOpen();
    signal?.throwIfAborted();
    if (this.#pending.size >= this.#settings.mostPending) {
      throw new TagstreamError(
        'busy',
        `${this.#settings.mostPending} requests are already pending`,
        { fix: 'wait for room(), or report that the service is busy' },
      );
    }
    const { workers, pending } = this.#crew;
    const answer = untilCancelled({ signal, timeout }, end => workers.run(task, [], false, end));
    const settled = answer.then(
      () => undefined,
      () => undefined,
    );
    this.#pending.add(settled);
    pending.add(settled);
    this.#kept = Math.max(0, this.#kept - 1);
    try {
      return (await answer) as TaggerResults[Task['what']];
    } finally {
      this.#pending.delete(settled);
      pending.delete(settled);
      this.#letIn();
    }
  }
}

function named(model: string | NamedModel): NamedModel {
  return typeof model === 'string' ? { file: model } : model;
}

/** Starts threads with the model of a file. */
async function startWorkers(
  path: ModelPaths,
  { threads, rules, tokenizer }: Pick<PoolSettings, 'threads' | 'rules' | 'tokenizer'>,
): Promise<Workers> {
  const [first, ...further] = [path].flat().map(named);
  if (first === undefined) throw new TagstreamError('config', 'a pool needs at least one model');
  const file = readModelBytes({ ...first, further, tokenizer });
  const bytes = new SharedArrayBuffer(file.length);
  new Uint8Array(bytes).set(file);
  const program = threadFile('runtime/pipeline/tagging/service/tagger-thread');
  const workers: Workers = new WorkerPool(program, { size: threads });
  try {
    await workers.setUp({ bytes, source: first.file, rules });
  } catch (error) {
    await workers.close();
    throw error;
  }
  return workers;
}

/** The inputs from which each thread of a `TaggerPool` makes its tagger. */
export interface TaggerSetup {
  readonly bytes: SharedArrayBuffer;
  /** Name of the model file, for errors. */
  readonly source: string;
  readonly rules: readonly TagRule[] | undefined;
}

/** The tokens of a sentence and its further columns. */
interface Given {
  readonly tokens: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
}

/** A `Tagger` method with its arguments. */
export type TaggerTask =
  | { readonly what: 'tags'; readonly sentences: readonly TaggerSentence[] }
  | { readonly what: 'text'; readonly text: string; readonly options: TagTextOptions }
  | { readonly what: 'analysis'; readonly given: Given; readonly options: AnalyzeOptions }
  | { readonly what: 'explanation'; readonly given: Given };

/** The result of each task. */
interface TaggerResults {
  readonly tags: string[][];
  readonly text: TaggedText;
  readonly analysis: Analysis;
  readonly explanation: TokenExplanation[];
}

/** The result of any task. */
export type TaggerResult = TaggerResults[TaggerTask['what']];
