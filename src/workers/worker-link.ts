import type { Worker } from 'node:worker_threads';
import { receivedError } from './portable-error.js';
import type { LinkOwner, TaskLink } from './task-link.js';
import type { CancelledTasks, FromWorker, ToWorker } from './task-messages.js';

interface Waiting<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** Stops waiting for the signal. */
  readonly forget: (() => void) | undefined;
}

/** More than a worker has in hand at a time. */
const marks = 64;

/** One worker thread, and the tasks that it has in hand. */
export class WorkerLink<Setup, Task, Result> implements TaskLink<Setup, Task, Result> {
  /** From 1. */
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
      // Throws, and so rejects, where the task cannot be sent; it is not in hand then.
      this.#post({ kind: 'task', id, task }, transfer);
      this.#waiting.set(id, { resolve, reject, forget: this.#cancelledBy(signal, id, reject) });
    });
  }

  /** Rejects when the signal is aborted. The task stays in hand until the worker answers. */
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
