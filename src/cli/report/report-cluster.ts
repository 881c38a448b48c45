import type { Log } from '../../core/log.js';
import { kibibytes } from '../../core/wording/kibibytes.js';
import type { ClusterReport } from '../../io/nats/training/cluster-report.js';

/** What a training on many machines took, by pass. */
export function reportCluster(cluster: ClusterReport, log: Log): void {
  const { shards, passes, seconds, corpusBytes, weightBytes, resultBytes, ownTasks } = cluster;
  const each = Math.max(1, passes);
  log.info(
    `cluster: ${passes} passes of ${shards} shards, ${(seconds / each).toFixed(2)} s a pass; corpus ${kibibytes(corpusBytes)}, ` +
      `weights ${kibibytes(weightBytes / each)} and results ${kibibytes(resultBytes / each)} a pass; ${ownTasks} of ${passes * shards} tasks done here`,
    { cluster },
  );
}
