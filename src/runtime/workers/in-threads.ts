import { inOrder } from './in-order.js';
import { WorkerPool } from './worker-pool.js';

/** Settings of `inThreads`. */
export interface InThreadsOptions<Setup, Task, Result> {
  /** Maximum number of threads. */
  readonly size: number;
  /** Setup shared by all tasks. */
  readonly setup: Setup;
  readonly tasks: readonly Task[];
  /** Signal that ends the threads when aborted; their work is then lost, which is not an error. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each task, in order. */
  readonly begin?: (task: Task) => void;
  /** Called with the results in the order of the tasks. */
  readonly use: (result: Result) => void;
}

/**
 * Runs tasks in threads of a program, one at a time per thread.
 *
 * @throws (rejects with) the first error in the order of the tasks
 */
export async function inThreads<Setup, Task, Result>(
  program: URL,
  { size, setup, tasks, signal, begin, use }: InThreadsOptions<Setup, Task, Result>,
): Promise<void> {
  const atMost = Math.min(size, tasks.length);
  const pool = new WorkerPool<Setup, Task, Result>(program, { size: atMost, inHand: 1 });
  const stop = () => void pool.close();
  signal?.addEventListener('abort', stop);
  try {
    await pool.setUp(setup);
    const work = (task: Task) => {
      begin?.(task);
      return pool.run(task);
    };
    await inOrder(tasks, { atMost, work, use });
  } catch (thrown) {
    if (signal?.aborted !== true) throw thrown;
  } finally {
    signal?.removeEventListener('abort', stop);
    await pool.close();
  }
}
