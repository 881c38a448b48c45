import { TagstreamError } from '../../engine/core/errors.js';
import { packed, portable, programVersion, runKeys } from './exchange.js';
import { type RunInHand, runInHand } from './run-in-hand.js';
import type { Task, TrainingStore } from './training-store.js';

/** Settings of a worker, and its callbacks. */
export interface WorkOptions {
  /** Signal that ends the worker when aborted; the current task is returned to the queue. */
  readonly signal: AbortSignal;
  /** Seconds without a task after which the worker ends; default: never. */
  readonly idle?: number | undefined;
  /** Seconds after which a silent worker's task goes to another worker. */
  readonly ackWait: number;
  /** Called for each task that is left to another version of the program. */
  readonly onOtherVersion?: ((version: string) => void) | undefined;
  readonly onTask?: ((task: Task, seconds: number, bytes: number) => void) | undefined;
}

const version = programVersion();

/** Milliseconds for which a request for a task waits at the server. */
const patience = 1_000;

/** Milliseconds after which a task that was left to other workers is offered again. */
const otherVersionWait = 5_000;

/**
 * Takes tasks from the queue and stores their results, one at a time. A result is stored before its task is
 * acknowledged: if the worker dies in between, the next one finds it. An error caused by the data ends the run, because
 * all workers would encounter it; any other error ends this worker, and another one gets the task.
 *
 * @returns number of tasks done
 * @throws (rejects with) TagstreamError `connection`, and any failure of a task that its data did not cause
 */
export async function workOnTasks(store: TrainingStore, options: WorkOptions): Promise<number> {
  const { signal, idle = Number.POSITIVE_INFINITY, ackWait } = options;
  const runs = new Map<string, RunInHand>();
  let done = 0;
  let last = performance.now();
  while (!signal.aborted && performance.now() - last < idle * 1000) {
    const message = await nextOf(store, signal);
    if (message === undefined) continue;
    const task = message.json<Task>();
    if (task.version !== version) {
      options.onOtherVersion?.(task.version);
      message.nak(otherVersionWait);
      continue;
    }
    const beat = setInterval(() => message.working(), (ackWait * 1000) / 3);
    try {
      const began = performance.now();
      const bytes = await doTask(store, runs, task, signal);
      if (signal.aborted && bytes === undefined) message.nak();
      // A task whose acknowledgement is lost is redelivered, when its result is already stored.
      else await message.ackAck().catch(() => undefined);
      if (bytes !== undefined) {
        done += 1;
        options.onTask?.(task, (performance.now() - began) / 1000, bytes);
      }
    } catch (thrown) {
      message.nak(1_000);
      throw thrown;
    } finally {
      clearInterval(beat);
    }
    last = performance.now();
  }
  return done;
}

async function nextOf(store: TrainingStore, signal: AbortSignal) {
  try {
    return await store.next(patience);
  } catch {
    if (signal.aborted || store.connection.core.isClosed()) return undefined;
    // A server is restarting, or a leader is being elected: lasting problems show in the store's next requests.
    await store.ready();
    return undefined;
  }
}

/** Does a task and returns the bytes of the result; undefined if there was nothing to do. */
async function doTask(
  store: TrainingStore,
  runs: Map<string, RunInHand>,
  task: Task,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { run, pass, shard } = task;
  const key = runKeys.result(run, pass, shard);
  if ((await store.size(key)) !== undefined) return undefined;
  const inHand = runs.get(run) ?? (await runInHand(store, run));
  if (inHand === undefined) return undefined;
  if (!runs.has(run)) {
    // One run at a time, because its parameters and shards take most of the memory.
    runs.clear();
    runs.set(run, inHand);
  }
  try {
    const result = await inHand.work(task, () => !signal.aborted);
    if (result === undefined) return undefined;
    const bytes = await packed(result);
    // The data of an ended run has been removed, and this object would be left behind.
    if ((await store.size(runKeys.job(run))) === undefined) return undefined;
    await store.write(key, bytes);
    return bytes.length;
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError) || thrown.code !== 'numeric') throw thrown;
    await store.put(runKeys.failure(run), portable(thrown), 0);
    return undefined;
  }
}
