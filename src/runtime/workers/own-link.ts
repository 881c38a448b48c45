import { setImmediate as turn } from 'node:timers/promises';
import type { SetUpTasks } from './serve-tasks.js';

/**
 * Runs a pool's tasks in the pool's own thread, which has little else to do: it replaces another thread, which would
 * have to start and warm up.
 *
 * Between tasks the event loop takes a turn, so that input and output have priority.
 */
export class OwnLink<Setup, Task, Result> implements TaskLink<Setup, Task, Result> {
  readonly #load: () => Promise<SetUpTasks<Setup, Task, Result>>;
  readonly #owner: Omit<LinkOwner, 'died'>;
  #handler: ReturnType<SetUpTasks<Setup, Task, Result>> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly #rejects = new Set<(error: unknown) => void>();
  #closed = false;

  /** @param load returns what a worker would pass to `serveTasks` */
  constructor(
    load: () => Promise<SetUpTasks<Setup, Task, Result>>,
    owner: Omit<LinkOwner, 'died'>,
  ) {
    this.#load = load;
    this.#owner = owner;
  }

  get load(): number {
    return this.#rejects.size;
  }

  setUp(setup: Setup): void {
    const setting = this.#last.then(this.#load).then(async setUp => {
      this.#handler = await setUp(setup);
    });
    this.#last = setting.then(
      () => this.#post(() => this.#owner.ready()),
      (thrown: unknown) => this.#post(() => this.#owner.refused(thrown)),
    );
  }

  run(task: Task, _transfer?: readonly ArrayBuffer[], signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#rejects.add(reject);
      const done = this.#last.then(() => this.#do(task, signal));
      this.#last = done.then(resolve, reject).then(async () => {
        await turn();
        this.#rejects.delete(reject);
        this.#post(() => this.#owner.freed());
      });
    });
  }

  abandon(error: unknown): void {
    for (const reject of this.#rejects) reject(error);
    this.#rejects.clear();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  async #do(task: Task, signal: AbortSignal | undefined): Promise<Result> {
    await turn();
    signal?.throwIfAborted();
    if (this.#closed) throw new Error('the link is closed');
    const { result } = await (await this.#handler!)(task);
    return result;
  }

  #post(what: () => void): void {
    if (!this.#closed) what();
  }
}

/** A place where tasks of a pool run, one after the other. */
export interface TaskLink<Setup, Task, Result> {
  /** Number of assigned, unfinished tasks. */
  readonly load: number;
  /** Sets the worker up, and reports the outcome to the owner. */
  setUp(setup: Setup): void;
  /** Runs a task. Rejects with the error of the task, that of `abandon`, or the reason of the signal. */
  run(task: Task, transfer: readonly ArrayBuffer[], signal?: AbortSignal): Promise<Result>;
  /** Rejects all unfinished tasks. */
  abandon(error: unknown): void;
  /** Ends running tasks, if they can be ended. */
  close(): Promise<void>;
}

/** What a link reports to its pool; nothing after `close`. */
export interface LinkOwner {
  /** Called when the worker is set up. */
  ready(): void;
  /** Called when the worker has finished a task. */
  freed(): void;
  /** Called if the worker could not be set up. */
  refused(error: unknown): void;
  /** Called if the worker is gone, or its message is unreadable; possibly more than once. */
  died(number: number, cause: unknown): void;
}
