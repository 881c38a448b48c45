/** Where tasks of a pool are done, one after the other. */
export interface TaskLink<Setup, Task, Result> {
  /** Tasks in hand. */
  readonly load: number;
  /** Reports the result to the owner. */
  setUp(setup: Setup): void;
  /** Rejects with what the task failed with, what `abandon` was given, or the reason of the signal. */
  run(task: Task, transfer: readonly ArrayBuffer[], signal?: AbortSignal): Promise<Result>;
  /** Rejects all that is in hand. */
  abandon(error: unknown): void;
  /** Ends what is running, as far as it can be ended. */
  close(): Promise<void>;
}

/** What a link reports to its pool; nothing after `close`. */
export interface LinkOwner {
  /** The worker is set up. */
  ready(): void;
  /** The worker has one task less in hand. */
  freed(): void;
  /** The worker could not be set up. */
  refused(error: unknown): void;
  /** The worker is gone, or cannot be understood. May be reported more than once. */
  died(number: number, cause: unknown): void;
}
