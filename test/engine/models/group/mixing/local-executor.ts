import type { CorpusNumbers } from '../../../../../src/engine/kernels/group/placed-corpus.js';
import type { ShardExecutor } from '../../../../../src/engine/models/group/mixing/shard-executor.js';
import type {
  MixedPlanes,
  ShardJob,
  ShardResult,
} from '../../../../../src/engine/models/group/mixing/shard-job.js';
import { ShardWorker } from '../../../../../src/engine/models/group/mixing/shard-worker.js';

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
