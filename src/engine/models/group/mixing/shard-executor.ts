import type { CorpusNumbers } from '../../../kernels/group/placed-corpus.js';
import type { MixedPlanes, ShardJob, ShardResult } from './shard-job.js';

/** Runs passes over shards, on this machine or elsewhere. */
export interface ShardExecutor {
  /**
   * Receives the job and the shards before the first pass, and again for each round of a stream.
   */
  begin(job: ShardJob, shards: readonly CorpusNumbers[]): Promise<void>;
  /** Runs one pass over all shards, each from the same numbers; returns results in shard order. */
  pass(pass: number, start: MixedPlanes): Promise<readonly ShardResult[]>;
  /** Called after a round's pass, when its shards and results are no longer needed. */
  leave?(): Promise<void>;
}
