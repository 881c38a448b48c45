import { compactStore } from '../../kernels/compact/compact-store.js';
import { pairStarts } from '../../kernels/compact/pair-starts.js';
import type { StoreShape } from '../../kernels/compact/store-shape.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import type { Loss } from '../../losses/loss.js';
import { FreeParameters } from '../vectors/free-parameters.js';
import type { Exchange } from './exchange.js';
import { Shard, type ShardTools } from './shard.js';
import type { ShardCorpus } from './shard-corpus.js';
import { shardRanges } from './shard-ranges.js';

/** What the shards of a thread are made of. */
export interface MemberParts {
  readonly kernel: Kernel;
  readonly loss: Loss;
  readonly shape: StoreShape;
  readonly corpus: ShardCorpus;
  /** Where the sums of the shards go. */
  readonly exchange: Exchange;
  /** Number of the thread, from 0, and of all threads. */
  readonly member: number;
  readonly members: number;
}

/** The shards of a corpus that are the work of one thread: consecutive ones. */
export class MemberShards {
  /** Number of the first of them among all. */
  readonly first: number;
  readonly shards: readonly Shard[];
  /** Shards of all threads. */
  readonly count: number;
  readonly #tools: ShardTools;
  readonly #sums: readonly Float64Array[];

  constructor({ kernel, loss, shape, corpus, exchange, member, members }: MemberParts) {
    const store = compactStore(shape);
    this.#tools = {
      ...{ kernel, loss, shape, store },
      pairStarts: pairStarts(shape),
      lattice: new Lattice(store.memory, store.precision),
      others: new FreeParameters(store),
    };
    const ranges = shardRanges(corpus.sentenceStarts);
    this.count = ranges.length - 1;
    this.first = Math.floor((this.count * member) / members);
    const end = Math.floor((this.count * (member + 1)) / members);
    const shards: Shard[] = [];
    for (let i = this.first; i < end; i += 1) {
      shards.push(new Shard(this.#tools, corpus, ranges[i]!, ranges[i + 1]!));
    }
    this.shards = shards;
    this.#sums = shards.map((shard, i) => {
      const given = exchange.give(this.first + i, shard.places(exchange.places.size));
      shard.sharePlaces(given.places);
      return given.values;
    });
  }

  /**
   * Evaluates each of the shards at the weights of the exchange, which gets sums and losses.
   *
   * @throws TagstreamError `numeric` where a loss is not finite
   */
  evaluate({ weights, losses }: Exchange): void {
    const { others, store } = this.#tools;
    others.scatter(weights.subarray(weights.length - others.size), store.weights);
    store.version += 1;
    for (const [i, shard] of this.shards.entries()) {
      shard.evaluate(weights, this.#sums[i]!, losses);
    }
  }
}
