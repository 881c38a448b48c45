import type { ClusterOptions, ClusterReport } from '../../../engine/interfaces/cluster-options.js';
import type { ShardExecutor } from '../../../engine/models/group/mixing/shard-executor.js';
import type { RemoteSums } from '../../../engine/trainers/shards/objective-group.js';
import { ClusterExecutor } from '../../../nats/training/cluster-executor.js';
import { ThreadSums } from '../../../nats/training/thread-sums.js';
import { threadFile } from '../../thread-file.js';
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
  const program = threadFile('nats/training/sums-thread');
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
