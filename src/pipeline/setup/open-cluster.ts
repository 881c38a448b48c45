import { ClusterExecutor } from '../../io/nats/training/cluster-executor.js';
import type { ClusterOptions } from '../../io/nats/training/cluster-options.js';
import { ThreadSums } from '../../io/nats/training/thread-sums.js';
import type { RemoteSums } from '../../trainers/shards/shard-sums.js';
import { threadFile } from '../../workers/thread-file.js';
import type { RunSetup } from '../definition/run-setup.js';

/** Connects a run to the servers that its shards are trained by, before it reads its input. */
export function openCluster(options: ClusterOptions, setup: RunSetup): void {
  const { events, signal } = setup;
  setup.preparations.push(async () => {
    // Whoever measures a run may have brought another one.
    if (setup.executor !== undefined) return;
    const executor = await ClusterExecutor.open({
      ...{ options, signal },
      path: file => setup.path(file),
      onWait: () => events.onClusterWait?.(),
    });
    setup.executor = executor;
    setup.cluster = executor;
  });
}

/** The same for sums of gradients, which a thread has others make while this one waits. */
export function openSums(options: ClusterOptions, setup: RunSetup): RemoteSums {
  const program = threadFile('io/nats/training/sums-thread');
  const sums = new ThreadSums(program, options, setup.baseDirectory);
  setup.cluster = sums;
  setup.preparations.push(async () => sums.open());
  return sums;
}
