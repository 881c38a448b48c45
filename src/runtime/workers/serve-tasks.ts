import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { TagstreamError } from '../../engine/core/errors.js';
import { type PortableError, portableError } from './portable-error.js';

/** A result, and memory that is transferred instead of copied. */
export interface Reply<Result> {
  readonly result: Result;
  readonly transfer?: readonly ArrayBuffer[];
}

/** Runs one task. */
export type TaskHandler<Task, Result> = (task: Task) => Reply<Result> | Promise<Reply<Result>>;

/** Makes the task handler from the setup of all tasks; its errors end the pool. */
export type SetUpTasks<Setup, Task, Result> = (
  setup: Setup,
) => TaskHandler<Task, Result> | Promise<TaskHandler<Task, Result>>;

/**
 * Runs the worker's side of a `WorkerPool`: sets up once, then runs incoming tasks one after the other.
 *
 * An error of the handler fails only its task; an error of `setUp` ends the pool.
 *
 * @throws TagstreamError `worker` outside of a worker
 * @example
 * (() => { try { serveTasks(() => task => ({ result: task })); } catch (e) { return e.code; } })() // => 'worker'
 */
export function serveTasks<Setup, Task, Result>(setUp: SetUpTasks<Setup, Task, Result>): void {
  if (parentPort === null) {
    throw new TagstreamError('worker', 'tasks can only be served in a worker', {
      fix: 'run this module in a WorkerPool',
    });
  }
  const port = parentPort;
  const send = (message: FromWorker<Result>, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  let handler: TaskHandler<Task, Result> | undefined;
  let cancelled: CancelledTasks | undefined;

  const receive = async (message: ToWorker<Setup, Task>): Promise<void> => {
    if (message.kind === 'setup') {
      try {
        cancelled = message.cancelled;
        handler = await setUp(message.setup);
        send({ kind: 'ready' });
      } catch (thrown) {
        send({ kind: 'refused', error: portableError(thrown) });
      }
      return;
    }
    const { id, task } = message;
    if (cancelled !== undefined && Atomics.load(cancelled, id % cancelled.length) === 1) {
      send({ kind: 'skipped', id });
      return;
    }
    try {
      if (handler === undefined)
        throw new TagstreamError('worker', 'a task arrived before the setup');
      const { result, transfer } = await handler(task);
      send({ kind: 'done', id, result }, transfer);
    } catch (thrown) {
      send({ kind: 'failed', id, error: portableError(thrown) });
    }
  };

  let turn = Promise.resolve();
  port.on('message', (message: ToWorker<Setup, Task>) => {
    turn = turn.then(() => receive(message));
  });
  // An unreadable message would leave its task unanswered: ending the worker is better.
  port.on('messageerror', error => {
    throw error;
  });
}

/** 1 for each task that a worker must not start any more, by task id modulo the length; shared with the worker. */
export type CancelledTasks = Int32Array<SharedArrayBuffer>;

/** Messages from a pool to a worker. */
export type ToWorker<Setup, Task> =
  | { readonly kind: 'setup'; readonly setup: Setup; readonly cancelled: CancelledTasks }
  | { readonly kind: 'task'; readonly id: number; readonly task: Task };

/**
 * Messages from a worker: that it is set up, or a task's result, its error, or that it was cancelled before it began.
 */
export type FromWorker<Result> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly error: PortableError }
  | { readonly kind: 'done'; readonly id: number; readonly result: Result }
  | { readonly kind: 'skipped'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PortableError };

/**
 * Lowers the priority of this thread, so that those that others wait for get the processors first. On Linux only: on
 * other systems the priority would apply to the whole process.
 *
 * @param niceness steps below the priority of the process; the lowest is 19
 */
export function giveWay(niceness: number): void {
  if (process.platform === 'linux') setPriority(0, Math.min(19, getPriority() + niceness));
}
