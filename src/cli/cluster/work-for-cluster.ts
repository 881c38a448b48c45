import { resolve } from 'node:path';
import { TagstreamError } from '../../engine/core/errors.js';
import { counted } from '../../engine/core/wording/numbers.js';
import { type ClusterOptions, clusterOptions } from '../../engine/interfaces/cluster-options.js';
import { TrainingStore } from '../../nats/training/training-store.js';
import { workOnTasks } from '../../nats/training/work-on-tasks.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import type {
  LogArguments,
  MetricsArguments,
  ShutdownArguments,
} from '../options/operation-options.js';
import type { Reporting } from '../report/reporting.js';
import { stopSignal } from '../signals/stop-signal.js';

/** Arguments of `cluster work`. */
export interface WorkArguments extends LogArguments, MetricsArguments, ShutdownArguments {
  readonly pipeline?: string | undefined;
  readonly servers?: string | undefined;
  readonly stream?: string | undefined;
  readonly create?: boolean | undefined;
  readonly idle?: number | undefined;
  readonly set?: readonly string[] | undefined;
}

/** Works on training tasks until stopped. */
export async function workForCluster(given: WorkArguments, report: Reporting): Promise<void> {
  const { log } = report;
  const { options, path } = placeOf(given);
  const store = await TrainingStore.open(options, path);
  const stop = stopSignal(report, given.shutdownTimeout);
  const others = new Set<string>();
  log.info(`waiting for tasks of ${options.stream} at ${[options.servers].flat().join(', ')}`);
  const tasks = { done: 0, seconds: 0 };
  if (report.status !== undefined) report.status.tasks = tasks;
  report.status?.begin();
  try {
    const done = await workOnTasks(store, {
      ...{ signal: stop.signal, idle: given.idle, ackWait: options.ackWait },
      onTask: ({ run, pass, shard }, seconds, bytes) => {
        tasks.done += 1;
        tasks.seconds += seconds;
        log.info(`pass ${pass}, shard ${shard}: ${seconds.toFixed(2)} s, ${bytes} bytes`, {
          ...{ run, pass, shard, seconds, bytes },
        });
      },
      onOtherVersion: version => {
        if (!others.has(version)) log.warn(`leaving tasks of ${version} to its workers`);
        others.add(version);
      },
    });
    log.info(`done: ${counted(done, 'task')}`, { tasks: done });
  } finally {
    stop.dispose();
    await store.close();
  }
}

/** Returns the location of the tasks: from the pipeline, overridden by the arguments. */
function placeOf(given: WorkArguments): {
  options: ClusterOptions;
  path: (file: string) => string;
} {
  const { pipeline: file, servers, stream, create, set } = given;
  const own = {
    ...(servers === undefined ? {} : { servers: servers.split(',').map(server => server.trim()) }),
    ...(stream === undefined ? {} : { stream }),
    ...(create === undefined ? {} : { create }),
  };
  if (file === undefined) {
    const parsed = clusterOptions.safeParse({ shards: 1, ...own });
    if (parsed.success) return { options: parsed.data, path: name => resolve(name) };
    const [issue] = parsed.error.issues;
    throw new TagstreamError('usage', `${issue!.path.join('.')}: ${issue!.message}`);
  }
  const { train, baseDirectory } = loadPipeline(file, set === undefined ? {} : { set });
  if (train?.cluster === undefined) {
    throw new TagstreamError('config', 'the pipeline has no train.cluster', {
      place: { source: file },
      fix: 'add it, or give --servers and --stream instead of a pipeline',
    });
  }
  const options = { ...train.cluster, ...own };
  return { options, path: name => resolve(baseDirectory, name) };
}
