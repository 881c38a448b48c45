import type { CorpusNumbers } from '../../../kernels/group/placed-corpus.js';
import type { MixedPlanes, ShardJob, ShardResult } from './shard-job.js';

/** Who has passes over shards made, here or elsewhere. */
export interface ShardExecutor {
  /** Takes the job and the shards before the first pass; again for each round of a stream. */
  begin(job: ShardJob, shards: readonly CorpusNumbers[]): Promise<void>;
  /** One pass over all shards from the same numbers; the results in the order of the shards. */
  pass(pass: number, start: MixedPlanes): Promise<readonly ShardResult[]>;
  /** Called after the pass of a round, whose shards and results are no longer needed. */
  leave?(): Promise<void>;
}
