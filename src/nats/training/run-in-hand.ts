import type { CorpusNumbers } from '../../engine/kernels/group/placed-corpus.js';
import type { ShardJob, ShardResult } from '../../engine/models/group/mixing/shard-job.js';
import { ShardWorker } from '../../engine/models/group/mixing/shard-worker.js';
import type { ShardSums, SumsJob } from '../../engine/trainers/shards/objective-group.js';
import { SumsWorker } from '../../engine/trainers/shards/sums-worker.js';
import { packed, runKeys, unpacked } from './exchange.js';
import { WeightsReader } from './stored-weights.js';
import type { Task, TrainingStore } from './training-store.js';

/** The kind of a run's tasks, passes of parameter mixing or sums of gradients, with its job. */
export type RunJob =
  | { readonly kind: 'mixing'; readonly job: ShardJob }
  | { readonly kind: 'sums'; readonly job: SumsJob };

/** A run for which a worker does tasks: its job, the shards received so far, and the newest weights. */
export interface RunInHand {
  /**
   * Does a task, yielding to the event loop regularly.
   *
   * @param isWanted called at each pause; the task is abandoned if it returns false
   * @returns undefined if the task is no longer wanted, or the run has ended
   */
  work(task: Task, isWanted: () => boolean): Promise<ShardResult | ShardSums | undefined>;
}

/** Returns the run with an id; undefined if it has ended. */
export async function runInHand(store: TrainingStore, run: string): Promise<RunInHand | undefined> {
  const bytes = await store.read(runKeys.job(run));
  if (bytes === undefined) return undefined;
  const { kind, job } = await unpacked<RunJob>(bytes);
  return kind === 'mixing' ? new MixingInHand(store, run, job) : new SumsInHand(store, run, job);
}

/** Gives a worker a shard if it lacks it; returns whether it has it now. */
async function hasShard(
  store: TrainingStore,
  { run, shard }: Task,
  worker: Pick<ShardWorker, 'has' | 'add'>,
): Promise<boolean> {
  if (worker.has(shard)) return true;
  const bytes = await store.read(runKeys.sentences(run, shard));
  if (bytes !== undefined) worker.add(shard, await unpacked<CorpusNumbers>(bytes));
  return bytes !== undefined;
}

/** Milliseconds of work between yields to messages, timers and signals. */
const slice = 40;

class MixingInHand implements RunInHand {
  readonly #store: TrainingStore;
  readonly #worker: ShardWorker;
  readonly #weights: WeightsReader;

  constructor(store: TrainingStore, run: string, job: ShardJob) {
    const worker = new ShardWorker(job);
    this.#store = store;
    this.#worker = worker;
    this.#weights = new WeightsReader(store, run, () => worker.zeros());
  }

  async work(task: Task, isWanted: () => boolean): Promise<ShardResult | undefined> {
    if (!(await hasShard(this.#store, task, this.#worker))) return undefined;
    const start = await this.#weights.read(task.pass);
    if (start === undefined) return undefined;
    const steps = this.#worker.pass(task.shard, task.pass, start);
    for (;;) {
      const end = performance.now() + slice;
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (performance.now() < end);
      await new Promise(resolve => setImmediate(resolve));
      if (!isWanted()) return undefined;
    }
  }
}

class SumsInHand implements RunInHand {
  readonly #store: TrainingStore;
  readonly #run: string;
  readonly #worker: SumsWorker;
  #weights: { readonly pass: number; readonly weights: Float64Array } | undefined;

  constructor(store: TrainingStore, run: string, job: SumsJob) {
    this.#store = store;
    this.#run = run;
    this.#worker = new SumsWorker(job);
  }

  async work(task: Task): Promise<ShardSums | undefined> {
    const { pass, shard } = task;
    const isNew = !this.#worker.has(shard);
    if (!(await hasShard(this.#store, task, this.#worker))) return undefined;
    const key = runKeys.places(this.#run, shard);
    if (isNew) await this.#store.write(key, await packed(this.#worker.places(shard)));
    if (this.#weights?.pass !== pass) {
      const bytes = await this.#store.read(runKeys.weights(this.#run, pass));
      if (bytes === undefined) return undefined;
      this.#weights = { pass, weights: await unpacked<Float64Array>(bytes) };
    }
    return this.#worker.evaluate(shard, this.#weights.weights);
  }
}
