import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import { TagstreamError } from '../../engine/core/errors.js';
import type { ClusterOptions, ClusterReport } from '../../engine/interfaces/cluster-options.js';
import type { CorpusNumbers } from '../../engine/kernels/group/placed-corpus.js';
import type {
  RemoteSums,
  ShardSums,
  SumsJob,
} from '../../engine/trainers/shards/objective-group.js';
import { failureOf } from './exchange.js';
import type { SumsAnswer, SumsRequest, SumsThreadData } from './sums-thread.js';

/** Milliseconds to wait without a sign of life from the thread, which may be working on a shard. */
const patience = 600_000;

/**
 * Has other machines evaluate the shards of an objective: a batch optimizer needs each value before it continues, so
 * this thread waits while another one communicates with the servers.
 */
export class ThreadSums implements RemoteSums {
  readonly shards: number;
  #report: ClusterReport | undefined;
  readonly #thread: Worker;
  readonly #port: MessagePort;
  readonly #flag: Int32Array;
  #places: Uint32Array[] = [];
  #isOpen = false;

  /**
   * @param program program of the thread, `sums-thread`
   * @param baseDirectory the folder of the pipeline file
   */
  constructor(program: URL, options: ClusterOptions, baseDirectory: string) {
    const { port1, port2 } = new MessageChannel();
    const signal = new SharedArrayBuffer(8);
    const workerData: SumsThreadData = { port: port2, signal, options, baseDirectory };
    this.shards = options.shards;
    this.#port = port1;
    this.#flag = new Int32Array(signal);
    this.#thread = new Worker(program, { workerData, transferList: [port2] });
    this.#thread.unref();
    this.#port.unref();
  }

  /** @throws TagstreamError `config`, `connection` */
  open(): void {
    this.#ask({ kind: 'open' });
    this.#isOpen = true;
  }

  get report(): ClusterReport | undefined {
    return this.#report;
  }

  begin(job: SumsJob, shards: readonly CorpusNumbers[]): readonly Uint32Array[] {
    this.#ask({ kind: 'begin', job, shards });
    this.#places = [];
    return this.#places;
  }

  evaluate(weights: Float64Array): readonly ShardSums[] {
    const isFirst = this.#places.length === 0;
    const { sums, places } = this.#ask({
      kind: 'evaluate',
      weights: weights.slice(),
      places: isFirst,
    });
    if (places !== undefined) this.#places.push(...places);
    return sums!;
  }

  /** Removes all stored data of the run; called once the model is written. */
  async finish(): Promise<void> {
    await this.#end(true);
  }

  /** Closes the connection; stored data stays, so that the run can resume. */
  async close(): Promise<void> {
    await this.#end(false);
  }

  async #end(isFinished: boolean): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#report = this.#ask({ kind: 'end', isFinished }).report;
    }
    await this.#thread.terminate();
  }

  #ask(request: SumsRequest): SumsAnswer {
    Atomics.store(this.#flag, 0, 0);
    this.#port.postMessage(request);
    for (;;) {
      const beats = Atomics.load(this.#flag, 1);
      if (Atomics.wait(this.#flag, 0, 0, patience) !== 'timed-out') break;
      if (Atomics.load(this.#flag, 1) === beats) throw ended();
    }
    const { message } = receiveMessageOnPort(this.#port) as { message: SumsAnswer };
    if (message.failure !== undefined) throw failureOf(message.failure);
    return message;
  }
}

function ended(): TagstreamError {
  return new TagstreamError('worker', 'the coordinating thread has ended');
}
