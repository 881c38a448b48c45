import pLimit, { type LimitFunction } from 'p-limit';
import { countRecordLines } from '../../../formats/lines/line-bytes.js';
import type { BadInTagged } from '../../../runtime/pipeline/tagging/tagging-run.js';
import type { ServedBlock, ServedTask, ServedWish } from '../threads/served-task.js';
import { untilAborted } from '../waiting.js';

/** Records of one request, to be tagged together. */
export interface PackedWork {
  readonly wish: ServedWish;
  /** Records as terminated lines. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly records: number;
  /** Position of a block of a larger request in it. Default 0. */
  readonly offset?: number | undefined;
  /** How many times the work of plain tags a token takes. Default 1. */
  readonly weight?: number | undefined;
  /** Whether the records belong to a stream, which waits while single requests are waiting. */
  readonly isStream: boolean;
  /** Called with each part of the answer, in order. What it throws ends the work, and rejects it. */
  readonly onPart?: ((part: PackedPart) => void) | undefined;
}

/** The results of one work; `bad` by record number within it, from 1. */
export interface PackedAnswer {
  readonly output: readonly Uint8Array<ArrayBuffer>[];
  readonly bad: readonly Pick<BadInTagged, 'number' | 'error'>[];
}

/** A part of the results. */
export interface PackedPart extends PackedAnswer {
  /** Number of bytes of the work that it answers. */
  readonly bytes: number;
}

/** Tags a block in a thread. */
export type TagBlock = (task: ServedTask) => Promise<ServedBlock>;

/** Tags long blocks in threads of their own. */
export interface LongBlocks {
  /** Number of threads. */
  readonly threads: number;
  /** Tags a block; the abort of the signal ends its thread. Calls `onBegin` once the thread has started. */
  tag(task: ServedTask, signal: AbortSignal, onBegin: () => void): Promise<ServedBlock>;
}

interface Waiting extends PackedWork {
  readonly size: number;
  readonly cost: number;
  readonly number: number;
  readonly resolve: (answer: PackedAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes of plain work at which a block is full: more would delay its first request, and those after it. */
const fullBlock = 32_768;

/** Bytes of plain work above which a block that cannot be divided is tagged in a thread of its own. */
const longBlock = 4 * fullBlock;

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
 * Requests are packed in order of arrival, together with others that have the same wish. A large request is divided into
 * blocks, which line up one after the other, so that others go between them. A record that alone is more than a block goes
 * to a thread of its own, so that it delays only others of its kind.
 */
export class Packer {
  readonly #tag: TagBlock;
  readonly #longBlocks: LongBlocks;
  readonly #inLongThread: LimitFunction;
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
  /** The blocks of requests that wait or are in progress, without streams and long records. */
  readonly #blocks = new Load();
  /** The requests of more than a block. */
  readonly #large = new Load();
  /** Number of blocks so far, and of requests in them. */
  blocks = 0;
  packed = 0;

  constructor(tag: TagBlock, threads: number, longBlocks: LongBlocks) {
    this.#tag = tag;
    this.#threads = threads;
    this.#longBlocks = longBlocks;
    this.#inLongThread = pLimit(longBlocks.threads);
  }

  /** Number of unanswered requests, without those of streams; each block of a large request counts as one. */
  get requests(): number {
    return this.#blocks.requests;
  }

  /** Estimated milliseconds until the present requests are answered, from recent blocks, without the large ones. */
  get wait(): number {
    return this.waitOf({ bytes: new Uint8Array() });
  }

  /** Returns how many milliseconds a request would wait for those before it: a large one waits for the large ones. */
  waitOf({ bytes, weight = 1 }: Pick<PackedWork, 'bytes' | 'weight'>): number {
    if (weight * bytes.length <= fullBlock) {
      return this.#blocks.estimate(this.#blocks.pace) / this.#threads;
    }
    // Before the first long block, the others are what is known.
    const { pace } = this.#large.pace.isEmpty ? this.#blocks : this.#large;
    return this.#large.estimate(pace) / this.#longBlocks.threads;
  }

  /**
   * Tags the records of a request.
   *
   * @param signal withdraws the work when aborted, and ends it if it is long; a block that is in progress continues,
   * without an answer
   * @throws (rejects with) the reason of the signal, errors of tagging one of its blocks, and those of `onPart`
   */
  async add(work: PackedWork, signal?: AbortSignal): Promise<PackedAnswer> {
    signal?.throwIfAborted();
    const { weight = 1, bytes, isStream, onPart } = work;
    if (weight * bytes.length <= fullBlock) {
      const answer = await this.#block(work, signal);
      onPart?.({ ...answer, bytes: bytes.length });
      return answer;
    }
    const cost = costOf(work);
    const end = new AbortController();
    const abort = () => end.abort(signal!.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (!isStream) this.#large.enter(cost);
    try {
      return await this.#divided(work, end.signal);
    } catch (error) {
      end.abort(error);
      throw error;
    } finally {
      if (!isStream) this.#large.leave(cost);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Tags the records of a large request block by block, as many at a time as there are threads. */
  async #divided(work: PackedWork, signal: AbortSignal): Promise<PackedAnswer> {
    const { wish, bytes, weight = 1, onPart } = work;
    const output: Uint8Array<ArrayBuffer>[] = [];
    const bad: { number: number; error: BadInTagged['error'] }[] = [];
    const pending: { work: PackedWork; answer: Promise<PackedAnswer> }[] = [];
    let read = 0;
    const takeFirst = async () => {
      const { work: own, answer } = pending.shift()!;
      const part = await answer;
      const numbered = part.bad.map(({ number, error }) => ({ number: number + read, error }));
      read += own.records;
      onPart?.({ output: part.output, bad: numbered, bytes: own.bytes.length });
      output.push(...part.output);
      bad.push(...numbered);
    };
    // A page has one head.
    const most = wish.form === 'html' ? bytes.length : Math.floor(fullBlock / weight);
    let offset = 0;
    for (const block of blocksOf(bytes, most)) {
      const records = countRecordLines(block);
      const own = { ...work, bytes: block, records, offset };
      offset += block.length;
      if (records === 0) continue;
      const isLong = weight * block.length > longBlock;
      const answer = isLong ? this.#long(own, signal) : this.#block(own, signal);
      // A failure is handled when the block's turn comes.
      answer.catch(() => undefined);
      pending.push({ work: own, answer });
      if (pending.length >= this.#threads) await takeFirst();
    }
    while (pending.length > 0) await takeFirst();
    return { output, bad };
  }

  /** Tags a long block after those before it. */
  #long(work: PackedWork, signal: AbortSignal): Promise<PackedAnswer> {
    const tagged = this.#inLongThread(async () => {
      signal.throwIfAborted();
      let begun = 0;
      const { output, bad } = await this.#longBlocks.tag(taskOf([work]), signal, () => {
        begun = performance.now();
      });
      this.#large.pace.add(costOf(work), performance.now() - begun);
      return { output: [output], bad };
    });
    return untilAborted(tagged, signal);
  }

  /** Tags a block, packed with others. */
  #block(work: PackedWork, signal?: AbortSignal): Promise<PackedAnswer> {
    return new Promise((resolve, reject) => {
      const cost = costOf(work);
      const load = work.isStream ? undefined : this.#blocks;
      let isOpen = true;
      const settle = () => {
        if (!isOpen) return;
        isOpen = false;
        load?.leave(cost);
        signal?.removeEventListener('abort', cancel);
      };
      const waiting: Waiting = {
        ...work,
        cost,
        size: (work.weight ?? 1) * work.bytes.length,
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
      load?.enter(cost);
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
    let { size } = first[0]!;
    let count = 1;
    for (; count < first.length; count += 1) {
      size += first[count]!.size;
      if (size > fullBlock) break;
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
      this.#blocks.pace.add(cost, performance.now() - begun);
      const records = block.reduce((sum, each) => sum + each.records, 0);
      if (block.length === 1) block[0]!.resolve({ output: [output], bad });
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
        work.resolve({ output: [output], bad });
      } catch (error) {
        work.reject(error);
      }
    }
  }
}

/** Cost of a request in bytes of plain work. */
function costOf({ bytes, records, weight = 1 }: PackedWork): number {
  return weight * (bytes.length + recordCost * records);
}

/** Divides lines into blocks of at most a number of bytes; a longer line is a block. */
function* blocksOf(
  bytes: Uint8Array<ArrayBuffer>,
  most: number,
): Generator<Uint8Array<ArrayBuffer>, void> {
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = start + most < bytes.length ? bytes.lastIndexOf(LF, start + most - 1) + 1 : bytes.length;
    if (end <= start) end = bytes.indexOf(LF, start) + 1 || bytes.length;
    // Copied, since a message to a thread has the whole memory of its arrays.
    yield start === 0 && end === bytes.length ? bytes : bytes.slice(start, end);
  }
}

function taskOf(block: readonly PackedWork[]): ServedTask {
  const { wish, bytes, offset } = block[0]!;
  if (block.length === 1) return { wish, bytes, offset };
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
  output: Uint8Array<ArrayBuffer>,
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
    resolve({ output: [output.subarray(start, at)], bad: own });
  }
}

/** What is pending, and how long it takes. */
class Load {
  readonly pace = new Pace();
  requests = 0;
  cost = 0;

  enter(cost: number): void {
    this.requests += 1;
    this.cost += cost;
  }

  leave(cost: number): void {
    this.requests -= 1;
    this.cost -= cost;
  }

  /** Returns the expected milliseconds until all is done. */
  estimate(pace: Pace): number {
    return pace.estimate(this.cost, Math.ceil(this.cost / fullBlock));
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

  /** Whether there was no block. */
  get isEmpty(): boolean {
    return this.#cost === 0;
  }

  add(cost: number, milliseconds: number): void {
    this.#blocks = memory * this.#blocks + 1;
    this.#cost = memory * this.#cost + cost;
    this.#time = memory * this.#time + milliseconds;
    this.#costSquares = memory * this.#costSquares + cost * cost;
    this.#products = memory * this.#products + cost * milliseconds;
  }

  /** Returns the expected milliseconds for a number of blocks with a total cost; 0 before the first block. */
  estimate(cost: number, blocks: number): number {
    if (this.isEmpty) return 0;
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
