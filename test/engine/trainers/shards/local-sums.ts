import type { CorpusNumbers } from '../../../../src/engine/kernels/group/placed-corpus.js';
import type {
  RemoteSums,
  ShardSums,
  SumsJob,
} from '../../../../src/engine/trainers/shards/objective-group.js';
import { SumsWorker } from '../../../../src/engine/trainers/shards/sums-worker.js';

/** Evaluates shards in this thread, by some workers that know nothing of each other. */
export class LocalSums implements RemoteSums {
  readonly shards: number;
  readonly #count: number;
  #workers: readonly SumsWorker[] = [];
  #cut = 0;

  constructor(shards: number, workers: number) {
    this.shards = shards;
    this.#count = workers;
  }

  begin(job: SumsJob, shards: readonly CorpusNumbers[]): readonly Uint32Array[] {
    this.#workers = Array.from({ length: this.#count }, () => new SumsWorker(structuredClone(job)));
    this.#cut = shards.length;
    for (const [i, shard] of shards.entries()) this.#of(i).add(i, structuredClone(shard));
    return shards.map((_, i) => this.#of(i).places(i));
  }

  evaluate(weights: Float64Array): readonly ShardSums[] {
    const sums: ShardSums[] = [];
    for (let i = this.#cut - 1; i >= 0; i -= 1) sums[i] = this.#of(i).evaluate(i, weights);
    return sums;
  }

  #of(shard: number): SumsWorker {
    return this.#workers[shard % this.#count]!;
  }
}
