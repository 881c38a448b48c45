import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import type { SparseVector } from '../space/vector-tables.js';
import type { ExchangePlaces } from './objective-group.js';

/** Number of words that locate a shard's sums: offset of places, offset of values, and count. */
const wordsOfShard = 3;

/**
 * The data exchanged by the threads of an objective in shared memory: the address of the weights, the loss of
 * each sentence, and the sums of each shard, allocated by the thread that owns the shard.
 */
export class Exchange {
  readonly places: ExchangePlaces;
  /** The loss of each sentence. */
  readonly losses: Float64Array;
  readonly #memory: LinearMemory;
  /** The address of the weights, and of the sums of each shard. */
  readonly #words: Uint32Array;

  constructor(memory: LinearMemory, places: ExchangePlaces) {
    const { offset, shards, sentences } = places;
    memory.refresh(offset + Exchange.bytes(places));
    this.places = places;
    this.#memory = memory;
    this.losses = new Float64Array(memory.buffer, offset, sentences);
    const words = offset + 8 * sentences;
    this.#words = new Uint32Array(memory.buffer, words, 1 + wordsOfShard * shards);
  }

  static bytes({ shards, sentences }: Omit<ExchangePlaces, 'offset'>): number {
    return 8 * sentences + 4 * (1 + wordsOfShard * shards);
  }

  static create(memory: LinearMemory, sizes: Omit<ExchangePlaces, 'offset'>): Exchange {
    return new Exchange(memory, { ...sizes, offset: memory.allocate(Exchange.bytes(sizes)) });
  }

  /** The weights at which the shards are evaluated, a vector in this memory. */
  set weights(weights: Float64Array) {
    this.#words[0] = weights.byteOffset;
  }

  get weights(): Float64Array {
    const offset = this.#words[0]!;
    const { size } = this.places;
    this.#memory.refresh(offset + 8 * size);
    return new Float64Array(this.#memory.buffer, offset, size);
  }

  /** Allocates and returns the sums of a shard. */
  give(shard: number, places: Uint32Array): SparseVector {
    const placesAt = this.#memory.allocate(places.byteLength);
    const valuesAt = this.#memory.allocate(8 * places.length);
    this.#words.set([placesAt, valuesAt, places.length], 1 + wordsOfShard * shard);
    const given = this.take(shard);
    given.places.set(places);
    return given;
  }

  /** Returns the sums of a shard, which the owning thread has allocated. */
  take(shard: number): SparseVector {
    const from = 1 + wordsOfShard * shard;
    const [placesAt, valuesAt, length] = this.#words.subarray(from, from + wordsOfShard);
    this.#memory.refresh(Math.max(placesAt! + 4 * length!, valuesAt! + 8 * length!));
    const { buffer } = this.#memory;
    return {
      places: new Uint32Array(buffer, placesAt, length),
      values: new Float64Array(buffer, valuesAt, length),
    };
  }
}
