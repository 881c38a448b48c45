import { compactStore, pairStarts } from '../../kernels/compact/compact-store.js';
import { type CorpusNumbers, placeNumbers } from '../../kernels/group/placed-corpus.js';
import { Lattice } from '../../kernels/lattice.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { SimdKernel } from '../../kernels/simd/simd-kernel.js';
import { PairChains } from '../../kernels/store/pair-chains.js';
import { receivedLoss } from '../../losses/shared-loss.js';
import { FreeParameters } from '../vectors/free-parameters.js';
import type { ShardSums, SumsJob } from './objective-group.js';
import { corpusInMemory, Shard, type ShardTools } from './shard.js';

interface Known {
  readonly shard: Shard;
  readonly places: Uint32Array;
  readonly sentences: number;
}

/**
 * Evaluates separate shards of an objective: a shard's result depends only on the weights, and is the
 * same as in `MemberShards`.
 */
export class SumsWorker {
  readonly #tools: ShardTools;
  readonly #size: number;
  /** Memory for the sentences. */
  readonly #memory = new LinearMemory();
  readonly #shards = new Map<number, Known>();

  constructor({ precision, shape, loss, size }: SumsJob) {
    const pairs = new PairChains();
    pairs.restore(shape.pairs);
    const whole = { ...shape, width: shape.labelCapacity, pairs };
    const store = compactStore(whole);
    // In shared memory, a shard's views stay valid when the next shard grows it.
    this.#memory.share();
    store.memory.share();
    this.#size = size;
    this.#tools = {
      ...{ kernel: new SimdKernel(precision), loss: receivedLoss(loss), shape: whole, store },
      pairStarts: pairStarts(whole),
      lattice: new Lattice(store.memory, store.precision),
      others: new FreeParameters(store),
    };
  }

  has(shard: number): boolean {
    return this.#shards.has(shard);
  }

  /** Stores a shard's sentences for all evaluations. */
  add(shard: number, numbers: CorpusNumbers): void {
    const corpus = corpusInMemory(placeNumbers(this.#memory, numbers));
    const sentences = corpus.sentenceStarts.length - 1;
    const made = new Shard(this.#tools, corpus, 0, sentences);
    this.#shards.set(shard, { shard: made, places: made.places(this.#size), sentences });
  }

  /** Returns the places of a shard's sums among the free parameters. */
  places(shard: number): Uint32Array {
    return this.#known(shard).places;
  }

  /** @throws TagstreamError `numeric` if a loss is not finite */
  evaluate(number: number, weights: Float64Array): ShardSums {
    const { shard, places, sentences } = this.#known(number);
    const { others, store } = this.#tools;
    others.scatter(weights.subarray(weights.length - others.size), store.weights);
    store.version += 1;
    const values = new Float64Array(places.length);
    const losses = new Float64Array(sentences);
    shard.evaluate(weights, values, losses);
    return { values, losses };
  }

  #known(number: number): Known {
    const known = this.#shards.get(number);
    if (known === undefined) throw new TypeError(`the worker has no shard ${number}`);
    return known;
  }
}
