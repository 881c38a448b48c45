import type { BadInTagged } from '../../pipeline/tagging/tagging-run.js';
import type { ServedBlock, ServedTask, ServedWish } from '../threads/served-task.js';

/** Records of one request, to be tagged together. */
export interface PackedWork {
  readonly wish: ServedWish;
  /** Records as terminated lines. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly records: number;
  /** Whether the records belong to a stream, which waits while single requests are waiting. */
  readonly isStream: boolean;
}

/** The results of one work; `bad` by record number within it, from 1. */
export interface PackedAnswer {
  readonly output: Uint8Array;
  readonly bad: readonly Pick<BadInTagged, 'number' | 'error'>[];
}

/** Tags a block in a thread. */
export type TagBlock = (task: ServedTask) => Promise<ServedBlock>;

interface Waiting extends PackedWork {
  readonly cost: number;
  readonly number: number;
  readonly resolve: (answer: PackedAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes at which a block is full: more would delay its first request. */
const fullBlock = 32_768;

/** Cost of a record in addition to its bytes, in bytes. */
const recordCost = 64;

/** Interval of stream blocks: one block in this many is a stream's, if both streams and other requests wait. */
const streamTurn = 4;

const LF = 10;

/**
 * Packs the records of many requests into blocks for the tagging threads. A request that arrives while a thread is free
 * goes to it together with others of the same event loop turn; requests that arrive while all threads are busy are
 * packed until one is free. So nothing waits for a timer.
 *
 * Requests are packed in order of arrival, together with others that have the same wish.
 */
export class Packer {
  readonly #tag: TagBlock;
  readonly #threads: number;
  /** Requests, and blocks of streams, each by wish. */
  readonly #lanes: readonly [Map<string, Waiting[]>, Map<string, Waiting[]>] = [
    new Map(),
    new Map(),
  ];
  #atWork = 0;
  #turns = 0;
  #number = 0;
  #isPlanned = false;
  /** Total cost of requests that wait or are in progress, without streams. */
  #cost = 0;
  #requests = 0;
  readonly #pace = new Pace();
  /** Number of blocks so far, and of requests in them. */
  blocks = 0;
  packed = 0;

  constructor(tag: TagBlock, threads: number) {
    this.#tag = tag;
    this.#threads = threads;
  }

  /** Number of unanswered requests, without blocks of streams. */
  get requests(): number {
    return this.#requests;
  }

  /** Estimated milliseconds until the present requests are answered, from recent blocks. */
  get wait(): number {
    return this.#pace.estimate(this.#cost, Math.ceil(this.#cost / fullBlock)) / this.#threads;
  }

  /**
   * Tags the records of a request.
   *
   * @param signal withdraws the work when aborted; a block that a thread has started continues, without an answer
   * @throws (rejects with) the reason of the signal, and errors of tagging one of its blocks
   */
  add(work: PackedWork, signal?: AbortSignal): Promise<PackedAnswer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const cost = work.bytes.length + recordCost * work.records;
      const counts = work.isStream ? 0 : 1;
      let isOpen = true;
      const settle = () => {
        if (!isOpen) return;
        isOpen = false;
        this.#cost -= counts * cost;
        this.#requests -= counts;
        signal?.removeEventListener('abort', cancel);
      };
      const waiting: Waiting = {
        ...work,
        cost,
        number: this.#number,
        resolve: answer => {
          settle();
          resolve(answer);
        },
        reject: error => {
          settle();
          reject(error);
        },
      };
      const cancel = () => {
        this.#remove(waiting);
        waiting.reject(signal!.reason);
      };
      this.#number += 1;
      this.#cost += counts * cost;
      this.#requests += counts;
      signal?.addEventListener('abort', cancel, { once: true });
      const lanes = this.#lanes[work.isStream ? 1 : 0];
      const lane = lanes.get(work.wish.key);
      if (lane === undefined) lanes.set(work.wish.key, [waiting]);
      else lane.push(waiting);
      this.#plan();
    });
  }

  #remove(waiting: Waiting): void {
    const lanes = this.#lanes[waiting.isStream ? 1 : 0];
    const { key } = waiting.wish;
    const lane = lanes.get(key);
    const at = lane?.indexOf(waiting) ?? -1;
    if (at < 0) return;
    lane!.splice(at, 1);
    if (lane!.length === 0) lanes.delete(key);
  }

  /** Schedules packing, so that requests of one event loop turn are packed together. */
  #plan(): void {
    if (this.#isPlanned || this.#atWork >= this.#threads) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#giveOut();
    });
  }

  #giveOut(): void {
    while (this.#atWork < this.#threads) {
      const block = this.#next();
      if (block.length === 0) return;
      this.#atWork += 1;
      this.blocks += 1;
      this.packed += block.length;
      void this.#do(block).finally(() => {
        this.#atWork -= 1;
        this.#giveOut();
      });
    }
  }

  /** Returns the work that is tagged next: the first in line, and later work with the same wish. */
  #next(): Waiting[] {
    const [requests, streams] = this.#lanes;
    const isStreams = requests.size === 0 || this.#turns % streamTurn === streamTurn - 1;
    const lanes = isStreams && streams.size > 0 ? streams : requests;
    this.#turns += 1;
    let first: Waiting[] | undefined;
    for (const lane of lanes.values()) {
      if (first === undefined || lane[0]!.number < first[0]!.number) first = lane;
    }
    if (first === undefined) return [];
    const { wish } = first[0]!;
    let bytes = first[0]!.bytes.length;
    let count = 1;
    for (; count < first.length; count += 1) {
      bytes += first[count]!.bytes.length;
      if (bytes > fullBlock) break;
    }
    // Columns and pages are the output of one request each.
    const taken = first.splice(0, wish.form === 'records' ? count : 1);
    if (first.length === 0) lanes.delete(wish.key);
    return taken;
  }

  async #do(block: readonly Waiting[]): Promise<void> {
    const begun = performance.now();
    try {
      const { output, read, bad } = await this.#tag(taskOf(block));
      const cost = block.reduce((sum, each) => sum + each.cost, 0);
      this.#pace.add(cost, performance.now() - begun);
      const records = block.reduce((sum, each) => sum + each.records, 0);
      if (block.length === 1) block[0]!.resolve({ output, bad });
      else if (read === records) cut(block, output, bad);
      else await this.#each(block);
    } catch (error) {
      // If the common wish cannot be fulfilled, every request gets the error.
      for (const { reject } of block) reject(error);
    }
  }

  /** Tags each request separately, if the records of one are more or fewer than its lines. */
  async #each(block: readonly Waiting[]): Promise<void> {
    for (const work of block) {
      try {
        const { output, bad } = await this.#tag(taskOf([work]));
        work.resolve({ output, bad });
      } catch (error) {
        work.reject(error);
      }
    }
  }
}

function taskOf(block: readonly Waiting[]): ServedTask {
  const { wish, bytes } = block[0]!;
  if (block.length === 1) return { wish, bytes };
  const all = new Uint8Array(block.reduce((sum, each) => sum + each.bytes.length, 0));
  let at = 0;
  for (const each of block) {
    all.set(each.bytes, at);
    at += each.bytes.length;
  }
  return { wish, bytes: all };
}

/** Gives each request its output lines and bad records. */
function cut(
  block: readonly Waiting[],
  output: Uint8Array,
  bad: readonly Pick<BadInTagged, 'number' | 'error'>[],
): void {
  let at = 0;
  let first = 0;
  let nextBad = 0;
  for (const { records, resolve } of block) {
    const start = at;
    for (let i = 0; i < records; i += 1) at = output.indexOf(LF, at) + 1;
    const own: { number: number; error: BadInTagged['error'] }[] = [];
    for (; nextBad < bad.length && bad[nextBad]!.number <= first + records; nextBad += 1) {
      own.push({ number: bad[nextBad]!.number - first, error: bad[nextBad]!.error });
    }
    first += records;
    resolve({ output: output.subarray(start, at), bad: own });
  }
}

/** Factor by which the weight of earlier blocks decays per block. */
const memory = 0.9;

/** Variance of costs, as a share of their mean square, below which blocks count as equally large. */
const oneSize = 1e-6;

/**
 * Estimates how long blocks take: a time per block and one per unit of cost, by least squares over recent blocks. A large
 * block counts for as long as its leverage lasts, so that it is not forgotten among thousands of small ones.
 *
 * @example
 * const pace = new Pace();
 * for (const cost of [100, 100, 5000, 100, 100]) pace.add(cost, 2 + cost / 1000);
 * Math.round(pace.estimate(50_000, 2)) // => 54
 */
export class Pace {
  #blocks = 0;
  #cost = 0;
  #time = 0;
  #costSquares = 0;
  #products = 0;

  add(cost: number, milliseconds: number): void {
    this.#blocks = memory * this.#blocks + 1;
    this.#cost = memory * this.#cost + cost;
    this.#time = memory * this.#time + milliseconds;
    this.#costSquares = memory * this.#costSquares + cost * cost;
    this.#products = memory * this.#products + cost * milliseconds;
  }

  /** Returns the expected milliseconds for a number of blocks with a total cost; 0 before the first block. */
  estimate(cost: number, blocks: number): number {
    if (this.#cost === 0) return 0;
    const mean = this.#time / this.#cost;
    const spread = this.#blocks * this.#costSquares - this.#cost ** 2;
    const isOneSize = spread <= oneSize * this.#blocks * this.#costSquares;
    const covariance = this.#blocks * this.#products - this.#cost * this.#time;
    // If blocks are equally large, their time may depend on the cost alone.
    const slope = isOneSize ? mean : Math.min(mean, Math.max(0, covariance / spread));
    const each = (this.#time - slope * this.#cost) / this.#blocks;
    return each * blocks + slope * cost;
  }
}
