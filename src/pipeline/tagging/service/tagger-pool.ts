import { TagstreamError } from '../../../core/errors.js';
import { requireKnown } from '../../../core/schema/require-known.js';
import type { Column } from '../../../core/sentence/document.js';
import { readBytes } from '../../../io/reading/read-bytes.js';
import type { TaggedText, TaggerSentence } from '../../../models/tagger.js';
import { threadFile } from '../../../workers/thread-file.js';
import { WorkerPool } from '../../../workers/worker-pool.js';
import type { TaggerResult, TaggerSetup, TaggerTask } from './tagger-task.js';

/** The options of `TaggerPool.load`. */
export interface TaggerPoolOptions {
  /** Threads that tag. Default 2. */
  readonly threads?: number | undefined;
  /** Requests without an answer that there may be at most. Default 1024. */
  readonly mostPending?: number | undefined;
}

/** Each has a model of its own. */
const mostThreads = 64;

/**
 * Tags in threads of its own, for services: the thread that asks stays free to answer others.
 *
 * A request goes to the thread with the least to do, and answers come in any order. There are at most `mostPending`
 * requests without an answer; one more is rejected (`busy`), and `room` resolves once there is room for one, to one caller at
 * a time.
 * Requests pay the way to a thread and back: give several sentences at a time where there are many.
 */
export class TaggerPool {
  readonly #workers: WorkerPool<TaggerSetup, TaggerTask, TaggerResult>;
  readonly #most: number;
  readonly #pending = new Set<Promise<unknown>>();
  /** Callers of `room` that wait, and places of those that do not wait any more and have not asked yet. */
  readonly #waiting: (() => void)[] = [];
  #kept = 0;
  #closed = false;

  /**
   * Reads a model file and starts the threads; resolves when all of them can tag.
   *
   * @throws TagstreamError `file`, `model-format`, `model-version`, `model-damaged`; `config` for options, or if the model
   * needs a plug-in
   */
  static async load(path: string, options: TaggerPoolOptions = {}): Promise<TaggerPool> {
    requireKnown('TaggerPool.load', options, ['threads', 'mostPending']);
    const { threads = 2, mostPending = 1024 } = options;
    if (threads > mostThreads) {
      throw new TagstreamError('config', `a pool cannot have ${threads} threads`, {
        fix: `use at most ${mostThreads}; more than there are processors gain nothing`,
      });
    }
    if (!Number.isInteger(mostPending) || mostPending < 1) {
      throw new TagstreamError('config', `a pool cannot have ${mostPending} requests`, {
        fix: 'give mostPending at least 1',
      });
    }
    const file = readBytes(path);
    const bytes = new SharedArrayBuffer(file.length);
    new Uint8Array(bytes).set(file);
    const program = threadFile('pipeline/tagging/service/tagger-thread');
    const workers = new WorkerPool<TaggerSetup, TaggerTask, TaggerResult>(program, {
      size: threads,
    });
    try {
      await workers.setUp({ bytes, source: path });
    } catch (error) {
      await workers.close();
      throw error;
    }
    return new TaggerPool(workers, mostPending);
  }

  private constructor(
    workers: WorkerPool<TaggerSetup, TaggerTask, TaggerResult>,
    mostPending: number,
  ) {
    this.#workers = workers;
    this.#most = mostPending;
  }

  /** Requests without an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /**
   * `Tagger.tag` in a thread.
   *
   * @throws (rejects with) TagstreamError as `Tagger.tag`; `busy` where there is no room, `worker` after `close` or
   * when a thread has died
   */
  async tag(
    tokens: readonly string[],
    columns: Readonly<Record<string, Column>> = {},
  ): Promise<string[]> {
    return (await this.tagMany([{ tokens, columns }]))[0]!;
  }

  /** `Tagger.tagMany` in a thread: all of one request go to the same one. Rejects as `tag`. */
  async tagMany(sentences: Iterable<TaggerSentence>): Promise<string[][]> {
    const result = await this.#ask({ sentences: [...sentences] });
    return [...(result as Extract<TaggerResult, { readonly tags: unknown }>).tags];
  }

  /** `Tagger.tagText` in a thread. Rejects as `tag`. */
  async tagText(text: string): Promise<TaggedText> {
    const result = await this.#ask({ texts: [text] });
    return (result as Extract<TaggerResult, { readonly texts: unknown }>).texts[0]!;
  }

  /** Resolves when there is room for a request, which is kept for it until other events are handled. */
  room(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve);
      this.#letIn();
    });
  }

  #letIn(): void {
    const before = this.#kept;
    while (this.#waiting.length > 0 && this.#pending.size + this.#kept < this.#most) {
      this.#kept += 1;
      this.#waiting.shift()!();
    }
    if (before > 0 || this.#kept === 0) return;
    setImmediate(() => {
      this.#kept = 0;
      this.#letIn();
    });
  }

  /** Takes no more requests, waits for the answers to those that there are, and ends the threads. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#pending);
    await this.#workers.close();
  }

  async #ask(task: TaggerTask): Promise<TaggerResult> {
    if (this.#closed) throw new TagstreamError('worker', 'the pool is closed');
    if (this.#pending.size >= this.#most) {
      throw new TagstreamError('busy', `there are ${this.#most} requests without an answer`, {
        fix: 'wait for room(), or answer that the service is busy',
      });
    }
    const answer = this.#workers.run(task);
    const settled = answer.then(
      () => undefined,
      () => undefined,
    );
    this.#pending.add(settled);
    this.#kept = Math.max(0, this.#kept - 1);
    try {
      return await answer;
    } finally {
      this.#pending.delete(settled);
      this.#letIn();
    }
  }
}
