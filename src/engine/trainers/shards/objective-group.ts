import type { Precision } from '../../core/arrays.js';
import type { GroupSignals } from '../../kernels/group/group-signals.js';
import type { CorpusNumbers, CorpusPlaces } from '../../kernels/group/placed-corpus.js';
import type { WasmMemory } from '../../kernels/memory/linear-memory.js';
import type { StorePlaces } from '../../kernels/store/placed-store.js';
import type { SharedLoss } from '../../losses/loss.js';
import type { SpacePlaces } from '../space/member-pieces.js';

/** Everything a thread needs to evaluate its shards of an objective; can be sent to a thread. */
export interface ObjectiveJob {
  /** Memory shared by all threads. */
  readonly memory: WasmMemory;
  readonly precision: Precision;
  readonly loss: SharedLoss;
  readonly corpus: CorpusPlaces;
  readonly shape: Omit<StorePlaces, 'planes'>;
  readonly exchange: ExchangePlaces;
  readonly space: SpacePlaces;
}

/** Where the threads exchange losses and sums in shared memory. */
export interface ExchangePlaces {
  readonly offset: number;
  /** Number of free parameters. */
  readonly size: number;
  readonly shards: number;
  readonly sentences: number;
}

/** A group of threads that wait for a job. */
export interface ObjectiveGroup {
  /** Number of threads, including the main thread. */
  readonly members: number;
  readonly signals: GroupSignals;
  /** Sends the other threads their job, after which they take commands. */
  start(job: ObjectiveJob): void;
}

/** The data common to all shards of an objective; plain data that can be sent to another machine. */
export interface SumsJob {
  readonly precision: Precision;
  readonly shape: Omit<StorePlaces, 'planes'>;
  readonly loss: SharedLoss;
  /** Number of free parameters. */
  readonly size: number;
}

/** A shard's result at some weights; plain data, like the job. */
export interface ShardSums {
  /** The gradient at the shard's places. */
  readonly values: Float64Array;
  /** The loss of each sentence. */
  readonly losses: Float64Array;
}

/** Evaluates the shards of an objective elsewhere while this thread waits. */
export interface RemoteSums {
  /** Number of shards that the corpus should have. */
  readonly shards: number;
  /**
   * Receives the job and the shards; returns the places of each shard's sums among the free parameters.
   */
  begin(job: SumsJob, shards: readonly CorpusNumbers[]): readonly Uint32Array[];
  /** Evaluates all shards at the same weights, in order. */
  evaluate(weights: Float64Array): readonly ShardSums[];
}
