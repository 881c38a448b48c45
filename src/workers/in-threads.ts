import { inOrder } from './in-order.js';
import { WorkerPool } from './worker-pool.js';

/** Tasks, and who does them. */
export interface InThreadsOptions<Setup, Task, Result> {
  /** Most threads. */
  readonly size: number;
  /** What all tasks need. */
  readonly setup: Setup;
  readonly tasks: readonly Task[];
  /** Ends the threads; their work is then lost, which is not an error. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each task, in order. */
  readonly begin?: (task: Task) => void;
  /** Called with the results in the order of the tasks. */
  readonly use: (result: Result) => void;
}

/**
 * Does tasks in threads of a program, each thread one at a time.
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
