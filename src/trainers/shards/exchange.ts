import type { LinearMemory } from '../../kernels/linear-memory.js';
import type { ExchangePlaces } from './objective-crew.js';
import type { ShardSums } from './shard.js';

/** Words that tell where the sums of a shard lie: of `free` offset and length, of `sums` likewise. */
const wordsOfShard = 4;

/**
 * What the threads of an objective give each other, in memory that they share: the weights, the loss of each
 * sentence, and the sums of each shard, for which the thread that has the shard makes room.
 */
export class Exchange {
  readonly places: ExchangePlaces;
  readonly weights: Float64Array;
  /** A loss for each sentence. */
  readonly losses: Float64Array;
  readonly #memory: LinearMemory;
  readonly #words: Uint32Array;

  constructor(memory: LinearMemory, places: ExchangePlaces) {
    const { offset, size, shards, sentences } = places;
    memory.refresh(offset + Exchange.bytes(places));
    this.places = places;
    this.#memory = memory;
    this.weights = new Float64Array(memory.buffer, offset, size);
    this.losses = new Float64Array(memory.buffer, offset + 8 * size, sentences);
    const words = offset + 8 * (size + sentences);
    this.#words = new Uint32Array(memory.buffer, words, wordsOfShard * shards);
  }

  static bytes({ size, shards, sentences }: Omit<ExchangePlaces, 'offset'>): number {
    return 8 * (size + sentences) + 4 * wordsOfShard * shards;
  }

  static create(memory: LinearMemory, sizes: Omit<ExchangePlaces, 'offset'>): Exchange {
    return new Exchange(memory, { ...sizes, offset: memory.allocate(Exchange.bytes(sizes)) });
  }

  /** Makes room for the sums of a shard, and tells where it is. */
  give(shard: number, free: Uint32Array, size: number): ShardSums {
    const [freeAt, sumsAt] = [free.byteLength, 8 * size].map(bytes => this.#memory.allocate(bytes));
    this.#words.set([freeAt!, free.length, sumsAt!, size], wordsOfShard * shard);
    const given = this.take(shard);
    given.free.set(free);
    return given;
  }

  /** The sums of a shard that a thread has given. */
  take(shard: number): ShardSums {
    const from = wordsOfShard * shard;
    const [freeAt, free, sumsAt, sums] = this.#words.subarray(from, from + wordsOfShard);
    this.#memory.refresh(Math.max(freeAt! + 4 * free!, sumsAt! + 8 * sums!));
    const { buffer } = this.#memory;
    return {
      free: new Uint32Array(buffer, freeAt, free),
      sums: new Float64Array(buffer, sumsAt, sums),
    };
  }
}
