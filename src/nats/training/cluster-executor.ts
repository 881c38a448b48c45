import type { ClusterReport } from '../../engine/interfaces/cluster-options.js';
import type { CorpusNumbers } from '../../engine/kernels/group/placed-corpus.js';
import type { ShardExecutor } from '../../engine/models/group/mixing/shard-executor.js';
import type {
  MixedPlanes,
  ShardJob,
  ShardResult,
} from '../../engine/models/group/mixing/shard-job.js';
import { ClusterRounds, type CoordinatorOptions } from './cluster-rounds.js';
import { WeightsWriter } from './stored-weights.js';

/** Parameter mixing by any worker that takes tasks from the queue; see `ClusterRounds`. */
export class ClusterExecutor implements ShardExecutor {
  readonly #rounds: ClusterRounds;
  #weights: WeightsWriter | undefined;
  #job: { readonly job: ShardJob; readonly shards: readonly CorpusNumbers[] } | undefined;

  private constructor(rounds: ClusterRounds) {
    this.#rounds = rounds;
  }

  /** @throws (rejects with) TagstreamError `config`, `connection` */
  static async open(given: CoordinatorOptions): Promise<ClusterExecutor> {
    return new ClusterExecutor(await ClusterRounds.open(given));
  }

  get report(): ClusterReport {
    return this.#rounds.report;
  }

  async begin(job: ShardJob, shards: readonly CorpusNumbers[]): Promise<void> {
    this.#job = { job, shards };
    this.#weights = undefined;
  }

  async pass(pass: number, start: MixedPlanes): Promise<readonly ShardResult[]> {
    const rounds = this.#rounds;
    if (this.#weights === undefined) {
      const { job, shards } = this.#job!;
      this.#job = undefined;
      await rounds.enter({ kind: 'mixing', job }, shards, pass, start);
      this.#weights = new WeightsWriter(rounds.store, rounds.run);
    }
    const weights = this.#weights;
    return rounds.round<ShardResult>(pass, () => weights.write(pass, start));
  }

  async leave(): Promise<void> {
    await this.#rounds.leave();
  }

  /** Ends the connection, and removes all stored data of the run; called once the model is written. */
  finish(): Promise<void> {
    return this.#rounds.finish();
  }

  /** Closes the connection; stored data stays, so that the run can resume. */
  close(): Promise<void> {
    return this.#rounds.close();
  }
}
