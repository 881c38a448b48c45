import { compactStore, pairStarts, type StoreShape } from '../../kernels/compact/compact-store.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import type { Loss } from '../../losses/loss.js';
import { FreeParameters } from '../vectors/free-parameters.js';
import type { Exchange } from './exchange.js';
import { Shard, type ShardCorpus, type ShardTools } from './shard.js';

/** The parts from which a thread's shards are created. */
export interface MemberParts {
  readonly kernel: Kernel;
  readonly loss: Loss;
  readonly shape: StoreShape;
  readonly corpus: ShardCorpus;
  /** Receives the sums of the shards. */
  readonly exchange: Exchange;
  /** Index of the thread, from 0, and number of threads. */
  readonly member: number;
  readonly members: number;
}

/** The consecutive shards of a corpus assigned to one thread. */
export class MemberShards {
  /** Index of the thread's first shard. */
  readonly first: number;
  readonly shards: readonly Shard[];
  /** Total number of shards. */
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
   * Evaluates each shard at the exchange's weights; sums and losses go to the exchange.
   *
   * @throws TagstreamError `numeric` if a loss is not finite
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

/** Default number of shards, for any number of threads. */
const usual = 8;

/**
 * Cuts a corpus into consecutive shards of similar size in tokens: sentences `[ranges[i], ranges[i
 * + 1])` are shard i. The result depends only on the corpus, and so do all sums.
 *
 * @param sentenceStarts first token of each sentence, and the number of tokens
 */
export function shardRanges(sentenceStarts: Uint32Array, most: number = usual): Uint32Array {
  const count = sentenceStarts.length - 1;
  const shards = Math.max(1, Math.min(most, count));
  const tokens = sentenceStarts[count]!;
  const ranges = new Uint32Array(shards + 1);
  let s = 0;
  for (let shard = 1; shard < shards; shard += 1) {
    const goal = (tokens * shard) / shards;
    while (s < count && sentenceStarts[s]! + sentenceStarts[s + 1]! <= 2 * goal) s += 1;
    ranges[shard] = s;
  }
  ranges[shards] = count;
  return ranges;
}
