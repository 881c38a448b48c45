import { randomUUID } from 'node:crypto';
import { TagstreamError } from '../../engine/core/errors.js';
import type { ClusterOptions, ClusterReport } from '../../engine/interfaces/cluster-options.js';
import type { CorpusNumbers } from '../../engine/kernels/group/placed-corpus.js';
import { keepTrying } from '../connection/keep-trying.js';
import {
  digestOf,
  type Failure,
  failureOf,
  packed,
  programVersion,
  runKeys,
  unpacked,
} from './exchange.js';
import type { RunJob } from './run-in-hand.js';
import { TrainingStore } from './training-store.js';
import { workOnTasks } from './work-on-tasks.js';

/** Settings of waiting for a lease. */
interface LeaseOptions {
  /** Seconds of silence after which the lease is taken over. */
  readonly seconds: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once if another coordinator holds the lease. */
  readonly onWait?: (() => void) | undefined;
}

/**
 * The right to coordinate a run. Its holder renews it three times within its duration; waiting coordinators time
 * renewals by their own clocks, so that the machines' clocks need not agree. No result depends on a lease: a holder
 * that was paused and overtaken requests the same tasks, and notices when it renews.
 */
class Lease {
  /** Signal that is aborted when another coordinator has taken over the run. */
  readonly lost: AbortSignal;
  readonly #store: TrainingStore;
  readonly #key: string;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #beat = 0;
  #revision: number;
  #renewing: Promise<void> = Promise.resolve();

  private constructor(store: TrainingStore, key: string, revision: number, seconds: number) {
    this.#store = store;
    this.#key = key;
    this.#revision = revision;
    this.lost = this.#lost.signal;
    this.#timer = setInterval(
      () => {
        this.#renewing = this.#renewing.then(() => this.#renew());
      },
      (seconds * 1000) / 3,
    );
    this.#timer.unref();
  }

  /**
   * Takes the lease; waits until no other coordinator holds it.
   *
   * @throws (rejects with) TagstreamError `checkpoint` if the other coordinator has finished the run; the signal's
   *   reason
   */
  static async take(
    store: TrainingStore,
    run: string,
    { seconds, signal, onWait }: LeaseOptions,
  ): Promise<Lease> {
    const key = runKeys.lease(run);
    const ownAttempt = randomUUID();
    let seen = -1;
    let since = performance.now();
    let waited = false;
    for (;;) {
      signal?.throwIfAborted();
      const entry = await store.entry(key);
      const state = entry?.json<{ done?: boolean; free?: boolean; attempt?: string }>() ?? {};
      const { done = false, free = false, attempt } = state;
      if (done && waited) throw finishedElsewhere();
      const revision = entry?.revision ?? 0;
      if (revision !== seen) {
        seen = revision;
        since = performance.now();
      }
      const isFree =
        entry === undefined ||
        done ||
        free ||
        // This attempt's own write, whose acknowledgement was lost.
        attempt === ownAttempt ||
        performance.now() - since > seconds * 1000;
      if (isFree && (await store.put(key, { owner: ownName(), attempt: ownAttempt }, revision))) {
        return new Lease(store, key, (await store.entry(key))!.revision, seconds);
      }
      if (!isFree && !waited) {
        waited = true;
        onWait?.();
      }
      await new Promise(resolve => setTimeout(resolve, Math.min(1_000, seconds * 100)));
    }
  }

  /**
   * Releases the lease, so that a waiting coordinator can take it.
   *
   * @param value `done` if the run is finished, `free` if it can be resumed
   */
  async close(value: { readonly done: true } | { readonly free: true }): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
    if (this.lost.aborted) return;
    await this.#store.put(this.#key, value, this.#revision, { giveUp: 0 });
  }

  async #renew(): Promise<void> {
    if (this.lost.aborted) return;
    this.#beat += 1;
    try {
      const value = { owner: ownName(), beat: this.#beat };
      const isOwn = await this.#store.put(this.#key, value, this.#revision, { giveUp: 0 });
      const entry = await this.#store.entry(this.#key);
      const now = entry?.json<{ owner?: string; beat?: number }>();
      // A renewal whose acknowledgement was lost is also this coordinator's own.
      if (!isOwn && now?.owner !== ownName()) this.#lost.abort(overtaken());
      else this.#revision = entry!.revision;
    } catch {
      // No server answers: a coordinator waiting for the lease receives no news either.
    }
  }
}

const own = `${process.pid}-${Math.random().toString(36).slice(2)}`;

function ownName(): string {
  return own;
}

function overtaken(): TagstreamError {
  return new TagstreamError('checkpoint', 'another coordinator took over the training', {
    fix: 'let it finish; raise train.cluster.lease to allow a coordinator longer silences',
  });
}

function finishedElsewhere(): TagstreamError {
  return new TagstreamError(
    'checkpoint',
    'another coordinator finished the training and has the model',
    { fix: 'use its model, or start again to retrain' },
  );
}

/** Settings of a coordinator, and its callbacks. */
export interface CoordinatorOptions {
  readonly options: ClusterOptions;
  /** Resolves a path relative to the folder of the pipeline file. */
  readonly path: (file: string) => string;
  readonly signal?: AbortSignal | undefined;
  /** Called once if another coordinator is working on the run. */
  readonly onWait?: (() => void) | undefined;
}

const version = programVersion();

/** Milliseconds after which results are checked even without a notification. */
const lookAgain = 2_000;

/**
 * The coordinator of a training on many machines: has all shards of a pass trained from the same weights by any worker
 * that takes tasks from the queue, optionally including itself. Results are stored by run, pass and shard, so that a
 * coordinator that takes over or restarts finds all of them, and computes the same model.
 */
export class ClusterRounds {
  readonly #given: CoordinatorOptions;
  readonly #store: TrainingStore;
  readonly #end = new AbortController();
  readonly #attempt = randomUUID();
  #run = '';
  #shards = 0;
  #lease: Lease | undefined;
  #working: Promise<number> | undefined;
  #failure: unknown;
  /** Whether the stored data of the run is no longer needed. */
  #isOver = false;
  #report = {
    ...{ passes: 0, seconds: 0, corpusBytes: 0, weightBytes: 0, resultBytes: 0, ownTasks: 0 },
  };

  private constructor(store: TrainingStore, given: CoordinatorOptions) {
    this.#store = store;
    this.#given = given;
  }

  /** @throws (rejects with) TagstreamError `config`, `connection` */
  static async open(given: CoordinatorOptions): Promise<ClusterRounds> {
    return new ClusterRounds(await TrainingStore.open(given.options, given.path), given);
  }

  get report(): ClusterReport {
    return { shards: this.#given.options.shards, ...this.#report };
  }

  /** The store; valid once a run is entered. */
  get store(): TrainingStore {
    return this.#store;
  }

  /** The id of the run. */
  get run(): string {
    return this.#run;
  }

  /**
   * Enters a run, whose name is derived from all inputs of its results, and stores its job and shards.
   *
   * @param start additional inputs of the results: the initial numbers
   */
  async enter(job: RunJob, shards: readonly CorpusNumbers[], ...start: unknown[]): Promise<void> {
    const { options, signal, onWait } = this.#given;
    const run = digestOf(version, job, shards, ...start);
    this.#run = run;
    this.#shards = shards.length;
    const { lease: seconds } = options;
    this.#lease = await Lease.take(this.#store, run, { seconds, signal, onWait });
    const write = async (key: string, data: unknown) => {
      const bytes = await packed(data);
      this.#report.corpusBytes += bytes.length;
      await this.#store.write(key, bytes);
    };
    for (const [shard, sentences] of shards.entries()) {
      await write(runKeys.sentences(run, shard), sentences);
    }
    await write(runKeys.job(run), job);
    if (options.work && this.#working === undefined) this.#work();
  }

  /** Ends the current run and removes its stored data, so that another run may follow. */
  async leave(): Promise<void> {
    const lease = this.#lease!;
    lease.lost.throwIfAborted();
    await this.#store.remove(this.#run);
    await lease.close({ done: true });
    this.#lease = undefined;
    await this.#store.forget(runKeys.lease(this.#run));
  }

  /**
   * Makes one pass over all shards.
   *
   * @param write stores the weights of the pass, and resolves to their size in bytes
   * @returns the results in the order of the shards
   */
  async round<Result>(pass: number, write: () => Promise<number>): Promise<readonly Result[]> {
    const began = performance.now();
    this.#report.weightBytes += await write();
    const run = this.#run;
    const missing = await this.#missing(pass);
    const adding = missing.map(shard =>
      this.#store.add({ run, pass, shard, version }, this.#attempt),
    );
    await Promise.all(adding);
    await this.#awaitResults(pass, missing);
    const results: Result[] = [];
    for (let shard = 0; shard < this.#shards; shard += 1) {
      const bytes = await this.#store.read(runKeys.result(run, pass, shard));
      if (bytes === undefined) throw this.#lease!.lost.reason ?? new Error('a result is gone');
      this.#report.resultBytes += bytes.length;
      results.push(await unpacked<Result>(bytes));
    }
    this.#report.passes += 1;
    this.#report.seconds += (performance.now() - began) / 1000;
    return results;
  }

  #work(): void {
    const { ackWait } = this.#given.options;
    this.#working = workOnTasks(this.#store, {
      ...{ signal: this.#end.signal, ackWait },
      onTask: () => {
        this.#report.ownTasks += 1;
      },
    });
    this.#working.catch(error => {
      this.#failure = error;
    });
  }

  async #missing(pass: number): Promise<number[]> {
    const all = Array.from({ length: this.#shards }, (_, shard) => shard);
    const sizes = await keepTrying(this.#store.connection, 'look for results', () =>
      Promise.all(all.map(shard => this.#store.size(runKeys.result(this.#run, pass, shard)))),
    );
    return all.filter(shard => sizes[shard] === undefined);
  }

  async #awaitResults(pass: number, missing: readonly number[]): Promise<void> {
    if (missing.length === 0) return;
    let wake = () => {};
    const stop = await this.#store.watch(runKeys.results(this.#run, pass), () => wake());
    const stopFailures = await this.#store.watch(runKeys.failure(this.#run), () => wake());
    try {
      let left = missing;
      for (;;) {
        const news = new Promise<void>(resolve => {
          wake = resolve;
        });
        left = (await this.#missing(pass)).filter(shard => left.includes(shard));
        if (left.length === 0) return;
        await this.#require();
        const timer = setTimeout(wake, lookAgain);
        await news;
        clearTimeout(timer);
      }
    } finally {
      stop();
      stopFailures();
    }
  }

  /** Throws the error that ends the run, if any. */
  async #require(): Promise<void> {
    this.#given.signal?.throwIfAborted();
    this.#lease!.lost.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    const failed = await this.#store.entry(runKeys.failure(this.#run));
    if (failed !== undefined) {
      this.#isOver = true;
      throw failureOf(failed.json<Failure>());
    }
  }

  /** Ends the connection, and removes all stored data of the run; called once the model is written. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.close();
  }

  /** Closes the connection; stored data stays, so that the run can resume. */
  async close(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    await this.#working?.catch(() => undefined);
    if (this.#isOver && this.#lease?.lost.aborted === false) await this.#store.remove(this.#run);
    await this.#lease?.close(this.#isOver ? { done: true } : { free: true }).catch(() => undefined);
    await this.#store.close();
  }
}
