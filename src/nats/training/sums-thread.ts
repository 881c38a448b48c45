// The program of the thread that coordinates gradient sums while the main thread waits for them.

import { resolve } from 'node:path';
import { type MessagePort, workerData } from 'node:worker_threads';
import { TagstreamError } from '../../engine/core/errors.js';
import type { ClusterOptions, ClusterReport } from '../../engine/interfaces/cluster-options.js';
import type { CorpusNumbers } from '../../engine/kernels/group/placed-corpus.js';
import type { ShardSums, SumsJob } from '../../engine/trainers/shards/objective-group.js';
import { ClusterRounds } from './cluster-rounds.js';
import { type Failure, packed, portable, runKeys, unpacked } from './exchange.js';

/**
 * Gradient sums computed by any workers that take tasks from the queue; see `ClusterRounds`. Only the last two
 * evaluations are kept: an iteration of a batch optimizer needs no more, and each is a copy of the weights.
 */
class ClusterSums {
  readonly #rounds: ClusterRounds;
  #shards = 0;
  #job: { readonly job: SumsJob; readonly shards: readonly CorpusNumbers[] } | undefined;
  #evaluations = 0;

  constructor(rounds: ClusterRounds) {
    this.#rounds = rounds;
  }

  begin(job: SumsJob, shards: readonly CorpusNumbers[]): void {
    this.#job = { job, shards };
    this.#shards = shards.length;
  }

  /** Evaluates all shards at the same weights; results are in shard order. */
  async evaluate(weights: Float64Array): Promise<readonly ShardSums[]> {
    const rounds = this.#rounds;
    if (this.#job !== undefined) {
      const { job, shards } = this.#job;
      this.#job = undefined;
      await rounds.enter({ kind: 'sums', job }, shards, weights);
    }
    this.#evaluations += 1;
    const round = this.#evaluations;
    const sums = await rounds.round<ShardSums>(round, async () => {
      const bytes = await packed(weights);
      await rounds.store.write(runKeys.weights(rounds.run, round), bytes);
      return bytes.length;
    });
    await this.#forget(round - 2);
    return sums;
  }

  /** Returns the positions of each shard's sums among the free parameters; known once the sums have been evaluated. */
  async places(): Promise<readonly Uint32Array[]> {
    const { store, run } = this.#rounds;
    const places: Uint32Array[] = [];
    for (let shard = 0; shard < this.#shards; shard += 1) {
      const bytes = await store.read(runKeys.places(run, shard));
      if (bytes === undefined) throw new Error(`the places of shard ${shard} are gone`);
      places.push(await unpacked<Uint32Array>(bytes));
    }
    return places;
  }

  async #forget(round: number): Promise<void> {
    if (round < 1) return;
    const { store, run } = this.#rounds;
    const keys = Array.from({ length: this.#shards }, (_, i) => runKeys.result(run, round, i));
    for (const key of [runKeys.weights(run, round), ...keys]) await store.forget(key);
  }
}

const { port, signal, options, baseDirectory } = workerData as SumsThreadData;
const flag = new Int32Array(signal);
setInterval(() => Atomics.add(flag, 1, 1), 1_000);
let sums: ClusterSums | undefined;
let rounds: ClusterRounds | undefined;

// Messages are handled one at a time: the main thread waits for each answer.
(port as MessagePort).on('message', (request: SumsRequest) => {
  void answerTo(request).then(
    answer => give(answer),
    thrown => give({ failure: portable(TagstreamError.from(thrown, 'connection')) }),
  );
});

async function answerTo(request: SumsRequest): Promise<SumsAnswer> {
  switch (request.kind) {
    case 'open': {
      rounds = await ClusterRounds.open({ options, path: file => resolve(baseDirectory, file) });
      sums = new ClusterSums(rounds);
      return {};
    }
    case 'begin':
      sums!.begin(request.job, request.shards);
      return {};
    case 'evaluate': {
      const found = await sums!.evaluate(request.weights);
      return { sums: found, ...(request.places ? { places: await sums!.places() } : {}) };
    }
    case 'end': {
      if (request.isFinished) await rounds?.finish();
      else await rounds?.close();
      return rounds === undefined ? {} : { report: rounds.report };
    }
  }
}

function give(answer: SumsAnswer): void {
  port.postMessage(answer);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
}

/** Start data of the thread that coordinates gradient sums. */
export interface SumsThreadData {
  readonly port: MessagePort;
  /** Shared memory: a word that becomes 1 with each answer, and a counter of signs of life. */
  readonly signal: SharedArrayBuffer;
  readonly options: ClusterOptions;
  readonly baseDirectory: string;
}

/** A request of the main thread. */
export type SumsRequest =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'begin';
      readonly job: SumsJob;
      readonly shards: readonly CorpusNumbers[];
    }
  | { readonly kind: 'evaluate'; readonly weights: Float64Array; readonly places: boolean }
  | { readonly kind: 'end'; readonly isFinished: boolean };

/** An answer to the main thread. */
export interface SumsAnswer {
  readonly failure?: Failure;
  readonly sums?: readonly ShardSums[];
  readonly places?: readonly Uint32Array[];
  readonly report?: ClusterReport;
}
