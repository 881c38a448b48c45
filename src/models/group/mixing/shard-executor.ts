import type { CorpusNumbers } from '../../../kernels/group/placed-corpus.js';
import type { MixedPlanes, ShardJob, ShardResult } from './shard-job.js';
import { ShardWorker } from './shard-worker.js';

/** Who has passes over shards made, here or elsewhere. */
export interface ShardExecutor {
  /** Takes the job and the shards before the first pass; again for each round of a stream. */
  begin(job: ShardJob, shards: readonly CorpusNumbers[]): Promise<void>;
  /** One pass over all shards from the same numbers; the results in the order of the shards. */
  pass(pass: number, start: MixedPlanes): Promise<readonly ShardResult[]>;
  /** Called after the pass of a round, whose shards and results are of no more use. */
  leave?(): Promise<void>;
}

/**
 * Makes all passes in this thread, by some workers that take shards in turn. The results do not depend on their
 * number: it is what executors on many machines are compared with.
 */
export class LocalExecutor implements ShardExecutor {
  readonly #count: number;
  #workers: readonly ShardWorker[] = [];
  #shards = 0;

  constructor(workers = 1) {
    this.#count = workers;
  }

  async begin(job: ShardJob, shards: readonly CorpusNumbers[]): Promise<void> {
    this.#workers = Array.from({ length: this.#count }, () => new ShardWorker(job));
    this.#shards = shards.length;
    for (const [i, sentences] of shards.entries()) this.#of(i).add(i, sentences);
  }

  async pass(pass: number, start: MixedPlanes): Promise<readonly ShardResult[]> {
    const results: ShardResult[] = [];
    // From the last shard on: whatever is left of one pass must not change another.
    for (let shard = this.#shards - 1; shard >= 0; shard -= 1) {
      const steps = this.#of(shard).pass(shard, pass, start);
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      results[shard] = step.value;
    }
    return results;
  }

  #of(shard: number): ShardWorker {
    return this.#workers[shard % this.#count]!;
  }
}
