import { Worker } from 'node:worker_threads';
import { TagstreamError, thrownMessage } from '../../engine/core/errors.js';
import { type LinkOwner, OwnLink, type TaskLink } from './own-link.js';
import { receivedError } from './portable-error.js';
import type { CancelledTasks, FromWorker, SetUpTasks, ToWorker } from './serve-tasks.js';
import { type LinkRoom, TaskQueue } from './task-queue.js';

export interface WorkerPoolOptions<Setup, Task, Result> {
  /** Number of workers. */
  readonly size: number;
  /** Makes this thread one of the workers: returns the function that its module would pass to `serveTasks`. */
  readonly own?: (() => Promise<SetUpTasks<Setup, Task, Result>>) | undefined;
  /** Maximum number of unfinished tasks per thread: one running, the others waiting. Default 2. */
  readonly inHand?: number;
  /** Maximum memory per worker; a worker that needs more dies. */
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb?: number };
}

/**
 * Worker threads that run tasks in parallel, all with one module, which calls `serveTasks`; the thread that makes the
 * pool may be one of them.
 *
 * They start at once; tasks may be added before they are set up, and wait here until a worker has room for them. This
 * thread takes a task only if it is small, or if all other workers that are set up are full: while it is busy, they get
 * no tasks. If a worker dies for any reason, the pool ends: all unfinished and later tasks are rejected with a
 * TagstreamError `worker` that has the cause.
 */
export class WorkerPool<Setup, Task, Result> {
  readonly size: number;
  readonly #links: readonly TaskLink<Setup, Task, Result>[];
  readonly #queue = new TaskQueue<Task, Result>();
  readonly #end = new AbortController();
  #awaited = 0;
  #onFirst: (() => void) | undefined;
  #settle: { resolve(): void; reject(error: unknown): void } | undefined;

  /** @throws TagstreamError `config` unless there is at least one worker */
  constructor(
    module: URL,
    { size, own, inHand = 2, resourceLimits = {} }: WorkerPoolOptions<Setup, Task, Result>,
  ) {
    if (!Number.isInteger(size) || size < 1) {
      throw new TagstreamError('config', `a pool cannot have ${size} workers`, {
        fix: 'use at least 1',
      });
    }
    this.size = size;
    const threads = Array.from({ length: own === undefined ? size : size - 1 }, (_, i) => {
      const worker = new Worker(module, { resourceLimits, stdout: true, stderr: true });
      // Node would pipe these streams, adding listeners to the process's streams for each thread; and standard
      // output is for records.
      for (const stream of [worker.stdout, worker.stderr]) {
        stream.on('data', (text: Uint8Array) => process.stderr.write(text));
      }
      return this.#linked(
        { most: inHand, isLast: false },
        owner => new WorkerLink(worker, i + 1, owner),
      );
    });
    const last =
      own === undefined
        ? []
        : [this.#linked({ most: 1, isLast: true }, owner => new OwnLink(own, owner))];
    this.#links = [...threads, ...last];
  }

  /** Signal that is aborted, with the error as its reason, when the pool has failed or is closed. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /**
   * Sets all workers up with the same data, for the tasks not yet assigned. Resolves when all are set up; must not be
   * called again before that.
   *
   * @param onFirst called when the first worker is set up, before it gets a task
   * @throws (rejects with) the error of a worker's `setUp`
   */
  setUp(setup: Setup, onFirst?: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.signal.throwIfAborted();
      this.#awaited = this.size;
      this.#onFirst = onFirst;
      this.#settle = { resolve, reject };
      for (const link of this.#links) link.setUp(setup);
    });
  }

  /**
   * Runs a task in the least busy worker, as soon as one has room for it.
   *
   * @param transfer memory of the task that is moved to the worker instead of copied
   * @param isSmall whether this thread runs the task if it is an idle worker
   * @param signal rejects the task when aborted and prevents its start; a running task continues, without a result
   * @throws (rejects with) the error of the worker's handler, or the reason of the signal
   */
  async run(
    task: Task,
    transfer: readonly ArrayBuffer[] = [],
    isSmall = false,
    signal?: AbortSignal,
  ): Promise<Result> {
    this.signal.throwIfAborted();
    return this.#queue.add(task, transfer, isSmall, signal);
  }

  /** Ends all threads, whatever they are doing; unfinished tasks are rejected. */
  async close(): Promise<void> {
    this.#fail(new TagstreamError('worker', 'the pool was closed'));
    await Promise.all(this.#links.map(link => link.close()));
  }

  /** Creates a link that gets tasks from the queue as soon as it is set up. */
  #linked(
    room: LinkRoom,
    make: (owner: LinkOwner) => TaskLink<Setup, Task, Result>,
  ): TaskLink<Setup, Task, Result> {
    const link = make({
      ready: () => {
        if (this.#awaited === this.size) this.#onFirst?.();
        this.#awaited -= 1;
        this.#queue.serve(link, room);
        if (this.#awaited === 0) this.#settle?.resolve();
      },
      freed: () => this.#queue.giveOut(),
      refused: error => this.#fail(error),
      died: (number, cause) => this.#fail(workerDeath(number, cause)),
    });
    return link;
  }

  #fail(error: unknown): void {
    if (this.signal.aborted) return;
    this.#end.abort(error);
    this.#settle?.reject(error);
    this.#queue.abandon(error);
    for (const link of this.#links) {
      link.abandon(error);
      void link.close();
    }
  }
}

/**
 * Returns the error for a worker that died, with its cause.
 *
 * @example
 * workerDeath(2, new Error('out of order')).message // => 'worker 2 died: out of order'
 */
export function workerDeath(number: number, cause: unknown): TagstreamError {
  const reason = thrownMessage(cause);
  const isMemory =
    cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return new TagstreamError('worker', `worker ${number} died: ${reason}`, {
    cause,
    ...(isMemory ? { fix: 'use fewer workers, or shorter records' } : {}),
  });
}

interface Waiting<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** Stops listening to the signal. */
  readonly forget: (() => void) | undefined;
}

/** More than the maximum number of unfinished tasks of a worker. */
const marks = 64;

/** A worker thread, and its unfinished tasks. */
class WorkerLink<Setup, Task, Result> implements TaskLink<Setup, Task, Result> {
  /** Number of the worker, from 1. */
  readonly number: number;
  readonly #worker: Worker;
  readonly #owner: LinkOwner;
  readonly #waiting = new Map<number, Waiting<Result>>();
  readonly #cancelled: CancelledTasks = new Int32Array(new SharedArrayBuffer(4 * marks));
  #closed = false;
  #nextId = 0;

  constructor(worker: Worker, number: number, owner: LinkOwner) {
    this.number = number;
    this.#owner = owner;
    this.#worker = worker;
    this.#worker.on('message', (message: FromWorker<Result>) => this.#receive(message));
    this.#worker.on('messageerror', error => this.#died(error));
    this.#worker.on('error', error => this.#died(error));
    this.#worker.on('exit', code => this.#died(new Error(`it ended with exit code ${code}`)));
  }

  get load(): number {
    return this.#waiting.size;
  }

  setUp(setup: Setup): void {
    this.#post({ kind: 'setup', setup, cancelled: this.#cancelled });
  }

  run(task: Task, transfer: readonly ArrayBuffer[], signal?: AbortSignal): Promise<Result> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      Atomics.store(this.#cancelled, id % marks, 0);
      // Throws, and thereby rejects, if the task cannot be sent, which is then not assigned.
      this.#post({ kind: 'task', id, task }, transfer);
      this.#waiting.set(id, { resolve, reject, forget: this.#cancelledBy(signal, id, reject) });
    });
  }

  /** Rejects when the signal is aborted. The task stays assigned until the worker answers. */
  #cancelledBy(
    signal: AbortSignal | undefined,
    id: number,
    reject: (error: unknown) => void,
  ): (() => void) | undefined {
    if (signal === undefined) return undefined;
    const cancel = () => {
      Atomics.store(this.#cancelled, id % marks, 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    return () => signal.removeEventListener('abort', cancel);
  }

  abandon(error: unknown): void {
    for (const { reject, forget } of this.#waiting.values()) {
      forget?.();
      reject(error);
    }
    this.#waiting.clear();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.terminate();
  }

  #post(message: ToWorker<Setup, Task>, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, [...transfer]);
  }

  #receive(message: FromWorker<Result>): void {
    if (this.#closed) return;
    switch (message.kind) {
      case 'ready':
        this.#owner.ready();
        break;
      case 'refused':
        this.#owner.refused(receivedError(message.error));
        break;
      case 'done':
        this.#taken(message.id)?.resolve(message.result);
        this.#owner.freed();
        break;
      case 'skipped':
        this.#taken(message.id);
        this.#owner.freed();
        break;
      case 'failed':
        this.#taken(message.id)?.reject(receivedError(message.error));
        this.#owner.freed();
        break;
    }
  }

  #taken(id: number): Waiting<Result> | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.forget?.();
    return waiting;
  }

  #died(cause: unknown): void {
    if (!this.#closed) this.#owner.died(this.number, cause);
  }
}
