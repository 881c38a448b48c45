import { threadFile } from '../../workers/thread-file.js';
import { WorkerPool } from '../../workers/worker-pool.js';
import type { RetrainTask } from './retrain-task.js';

/** Accepted answers before which it does not pay, and how many times more there have to be each time. */
const [first, growth] = [20, 1.25];

/** Retrains from scratch in a thread of its own, when there are a quarter more answers than the last time. */
export class Retraining {
  #pool: WorkerPool<null, RetrainTask, Uint8Array | undefined> | undefined;
  #at = 0;
  #isHurried = false;

  get isRunning(): boolean {
    return this.#pool !== undefined;
  }

  /** Whether there are answers enough. */
  pays(accepted: number): boolean {
    return accepted >= first;
  }

  /** Whether it is to be done now. */
  isDue(accepted: number): boolean {
    const least = this.#at === 0 || this.#isHurried ? first : growth * this.#at;
    return this.#pool === undefined && accepted >= least;
  }

  /** Has it done before there are a quarter more answers, as one of those that there were does not hold any more. */
  hurry(): void {
    this.#isHurried = true;
  }

  /**
   * @returns the model file; undefined where the thread was ended, or nothing is accepted
   * @throws (rejects with) what training throws
   */
  async run(task: RetrainTask, accepted: number): Promise<Uint8Array | undefined> {
    this.#at = accepted;
    this.#isHurried = false;
    const pool = new WorkerPool<null, RetrainTask, Uint8Array | undefined>(
      threadFile('annotation/learning/retrain-worker'),
      { size: 1 },
    );
    this.#pool = pool;
    try {
      await pool.setUp(null);
      return await pool.run(task);
    } finally {
      if (this.#pool === pool) this.#pool = undefined;
      await pool.close();
    }
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}
