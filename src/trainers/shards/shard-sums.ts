import type { Precision } from '../../core/reals.js';
import type { CorpusNumbers } from '../../kernels/group/placed-corpus.js';
import type { StorePlaces } from '../../kernels/store/store-places.js';
import type { SharedLoss } from '../../losses/loss.js';

/** What all shards of an objective share; plain data that can be sent to another machine. */
export interface SumsJob {
  readonly precision: Precision;
  readonly shape: Omit<StorePlaces, 'planes'>;
  readonly loss: SharedLoss;
  /** Free parameters. */
  readonly size: number;
}

/** What a shard comes to at some weights; can be sent likewise. */
export interface ShardSums {
  /** The gradient, at the places of the shard. */
  readonly values: Float64Array;
  /** The loss of each sentence. */
  readonly losses: Float64Array;
}

/** Who has the shards of an objective evaluated elsewhere, while this thread waits. */
export interface RemoteSums {
  /** Shards that the corpus is to have. */
  readonly shards: number;
  /** Takes the job and the shards; returns where the sums of each shard belong among the free parameters. */
  begin(job: SumsJob, shards: readonly CorpusNumbers[]): readonly Uint32Array[];
  /** All shards at the same weights, in their order. */
  evaluate(weights: Float64Array): readonly ShardSums[];
}
