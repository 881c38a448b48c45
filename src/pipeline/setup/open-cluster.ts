import type { ClusterOptions, ClusterReport } from '../../interfaces/cluster-options.js';
import { ClusterExecutor } from '../../io/nats/training/cluster-executor.js';
import { ThreadSums } from '../../io/nats/training/thread-sums.js';
import type { ShardExecutor } from '../../models/group/mixing/shard-executor.js';
import type { RemoteSums } from '../../trainers/shards/objective-group.js';
import { threadFile } from '../../workers/thread-file.js';
import type { RunContext } from '../definition/run-context.js';

/** Other machines that train the shards of a run. The end of the run's scope closes their connection. */
export interface Cluster {
  /** Sums over the shards, for a batch optimizer. */
  readonly remote?: RemoteSums;
  /** Makes the passes over the shards, for an online optimizer, once the cluster is open. */
  readonly executor?: () => ShardExecutor;
  /** Connects to the servers. */
  open(): Promise<void>;
  /** Removes everything stored for the run, once the model is written. Returns the cost. */
  finish?(): Promise<ClusterReport | undefined>;
}

type ClusterContext = Pick<RunContext, 'paths' | 'events' | 'signal' | 'scope'>;

/** Returns machines that sum gradients, coordinated by another thread while this one waits. */
export function summingCluster(options: ClusterOptions, { paths, scope }: ClusterContext): Cluster {
  const program = threadFile('io/nats/training/sums-thread');
  const remote = new ThreadSums(program, options, paths.baseDirectory);
  scope.defer(() => remote.close());
  return {
    remote,
    open: async () => remote.open(),
    async finish() {
      await remote.finish();
      return remote.report;
    },
  };
}

/** Returns machines that make passes over shards; their weights are mixed in this process. */
export function mixingCluster(
  options: ClusterOptions,
  { paths, events, signal, scope }: ClusterContext,
): Cluster {
  let executor: ClusterExecutor | undefined;
  return {
    executor: () => executor!,
    async open() {
      executor = await ClusterExecutor.open({
        ...{ options, signal },
        path: file => paths.resolve(file),
        onWait: () => events.onClusterWait?.(),
      });
      scope.defer(() => executor!.close());
    },
    async finish() {
      await executor!.finish();
      return executor!.report;
    },
  };
}
