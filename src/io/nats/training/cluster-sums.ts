import type { CorpusNumbers } from '../../../kernels/group/placed-corpus.js';
import type { ShardSums, SumsJob } from '../../../trainers/shards/shard-sums.js';
import type { ClusterRounds } from './cluster-rounds.js';
import { packed, unpacked } from './packed.js';
import { runKeys } from './run-keys.js';

/**
 * Sums of gradients by whoever takes tasks from the queue; see `ClusterRounds`. Of its evaluations the last two are
 * kept: an iteration of a batch optimizer needs no more, and all of them would be as many copies of the weights.
 */
export class ClusterSums {
  readonly #rounds: ClusterRounds;
  #shards = 0;
  #job: { readonly job: SumsJob; readonly shards: readonly CorpusNumbers[] } | undefined;
  #evaluations = 0;

  constructor(rounds: ClusterRounds) {
    this.#rounds = rounds;
  }

  begin(job: SumsJob, shards: readonly CorpusNumbers[]): void {
    this.#job = { job, shards };
    this.#shards = shards.length;
  }

  /** All shards at the same weights, in their order. */
  async evaluate(weights: Float64Array): Promise<readonly ShardSums[]> {
    const rounds = this.#rounds;
    if (this.#job !== undefined) {
      const { job, shards } = this.#job;
      this.#job = undefined;
      await rounds.enter({ kind: 'sums', job }, shards, weights);
    }
    this.#evaluations += 1;
    const round = this.#evaluations;
    const sums = await rounds.round<ShardSums>(round, async () => {
      const bytes = await packed(weights);
      await rounds.store.write(runKeys.weights(rounds.run, round), bytes);
      return bytes.length;
    });
    await this.#forget(round - 2);
    return sums;
  }

  /** Where the sums of each shard belong among the free parameters; known once they have been evaluated. */
  async places(): Promise<readonly Uint32Array[]> {
    const { store, run } = this.#rounds;
    const places: Uint32Array[] = [];
    for (let shard = 0; shard < this.#shards; shard += 1) {
      const bytes = await store.read(runKeys.places(run, shard));
      if (bytes === undefined) throw new Error(`the places of shard ${shard} are gone`);
      places.push(await unpacked<Uint32Array>(bytes));
    }
    return places;
  }

  async #forget(round: number): Promise<void> {
    if (round < 1) return;
    const { store, run } = this.#rounds;
    const keys = Array.from({ length: this.#shards }, (_, i) => runKeys.result(run, round, i));
    for (const key of [runKeys.weights(run, round), ...keys]) await store.forget(key);
  }
}
