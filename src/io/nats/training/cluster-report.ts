/** What a training on many machines took. */
export interface ClusterReport {
  readonly shards: number;
  readonly passes: number;
  /** Seconds of all passes, from their weights to their last result. */
  readonly seconds: number;
  /** Compressed bytes of the job and the shards of the corpus. */
  readonly corpusBytes: number;
  /** Compressed bytes of the weights that all passes started from, each read once by each worker. */
  readonly weightBytes: number;
  /** Compressed bytes of the results. */
  readonly resultBytes: number;
  /** Tasks that this process has done itself. */
  readonly ownTasks: number;
}
