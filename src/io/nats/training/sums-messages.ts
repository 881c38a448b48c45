import type { MessagePort } from 'node:worker_threads';
import type { CorpusNumbers } from '../../../kernels/group/placed-corpus.js';
import type { ShardSums, SumsJob } from '../../../trainers/shards/shard-sums.js';
import type { ClusterOptions } from './cluster-options.js';
import type { ClusterReport } from './cluster-report.js';
import type { Failure } from './portable-failure.js';

/** The start data of the thread that coordinates sums. */
export interface SumsThreadData {
  readonly port: MessagePort;
  /** A word that becomes 1 with each answer, and one that counts signs of life. */
  readonly signal: SharedArrayBuffer;
  readonly options: ClusterOptions;
  readonly baseDirectory: string;
}

/** What the main thread asks of it. */
export type SumsRequest =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'begin';
      readonly job: SumsJob;
      readonly shards: readonly CorpusNumbers[];
    }
  | { readonly kind: 'evaluate'; readonly weights: Float64Array; readonly places: boolean }
  | { readonly kind: 'end'; readonly isFinished: boolean };

/** What it answers. */
export interface SumsAnswer {
  readonly failure?: Failure;
  readonly sums?: readonly ShardSums[];
  readonly places?: readonly Uint32Array[];
  readonly report?: ClusterReport;
}
