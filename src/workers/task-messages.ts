import type { PortableError } from './portable-error.js';

/** What a pool sends to a worker. */
export type ToWorker<Setup, Task> =
  | { readonly kind: 'setup'; readonly setup: Setup }
  | { readonly kind: 'task'; readonly id: number; readonly task: Task };

/** What a worker sends back: that it is set up, or a task's result, or what it failed with. */
export type FromWorker<Result> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly error: PortableError }
  | { readonly kind: 'done'; readonly id: number; readonly result: Result }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PortableError };
