import { randomUUID } from 'node:crypto';
import { TagstreamError } from '../../../core/errors.js';
import { runKeys } from './run-keys.js';
import type { TrainingStore } from './training-store.js';

/** How a lease is waited for. */
export interface LeaseOptions {
  /** Seconds of silence after which it is taken over. */
  readonly seconds: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once if another coordinator has it. */
  readonly onWait?: (() => void) | undefined;
}

/**
 * The right to coordinate a run. Its holder renews it three times within its length; who waits for it watches by its
 * own clock whether it is renewed, so that clocks of machines need not agree. Results depend on no lease: a holder that
 * was paused and wakes after it was overtaken asks for the same tasks, and finds out when it renews.
 */
export class Lease {
  /** Aborted when another coordinator has taken the run over. */
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
   * Waits until no other coordinator has the run.
   *
   * @throws (rejects with) TagstreamError `checkpoint` if the other one has finished it; the signal's reason
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
        // Its own, whose acknowledgement was lost.
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
   * Gives the lease back, to whoever waits for it.
   *
   * @param value `done` where the run is finished, `free` where it is to be resumed
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
      // A renewal whose acknowledgement was lost is its own too.
      if (!isOwn && now?.owner !== ownName()) this.#lost.abort(overtaken());
      else this.#revision = entry!.revision;
    } catch {
      // No server answers: whoever waits for the lease hears as little.
    }
  }
}

const own = `${process.pid}-${Math.random().toString(36).slice(2)}`;

function ownName(): string {
  return own;
}

function overtaken(): TagstreamError {
  return new TagstreamError('checkpoint', 'another coordinator has taken the training over', {
    fix: 'let it finish; a longer train.cluster.lease lets a coordinator be silent for longer',
  });
}

function finishedElsewhere(): TagstreamError {
  return new TagstreamError(
    'checkpoint',
    'another coordinator has finished the training, and has the model',
    { fix: 'take its model, or start again to train once more' },
  );
}
