import type { PortableError } from './portable-error.js';

/** 1 for each task of a worker that is not to be begun any more, by its id modulo the length; shared with the worker. */
export type CancelledTasks = Int32Array<SharedArrayBuffer>;

/** What a pool sends to a worker. */
export type ToWorker<Setup, Task> =
  | { readonly kind: 'setup'; readonly setup: Setup; readonly cancelled: CancelledTasks }
  | { readonly kind: 'task'; readonly id: number; readonly task: Task };

/** What a worker sends back: that it is set up, or a task's result, what it failed with, or that it was cancelled before. */
export type FromWorker<Result> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly error: PortableError }
  | { readonly kind: 'done'; readonly id: number; readonly result: Result }
  | { readonly kind: 'skipped'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PortableError };
