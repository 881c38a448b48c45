import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch.js';
import { packMinibatch } from '../../core/pack-minibatch.js';
import { commands } from '../../kernels/crew/crew-signals.js';
import { shareCorpus } from '../../kernels/crew/placed-corpus.js';
import type { Kernel } from '../../kernels/kernel.js';
import { LinearMemory } from '../../kernels/linear-memory.js';
import type { ParameterStore } from '../../kernels/parameter-store.js';
import { placesOf } from '../../kernels/store-places.js';
import type { Loss } from '../../losses/loss.js';
import { sharedLoss } from '../../losses/shared-loss.js';
import { Exchange } from './exchange.js';
import { MemberShards } from './member-shards.js';
import type { ObjectiveCrew } from './objective-crew.js';
import type { ShardSums } from './shard.js';
import { corpusOfSentences } from './shard-corpus.js';
import { shardRanges } from './shard-ranges.js';

/** What a sum of losses is made of. */
export interface LossesOptions {
  readonly kernel: Kernel;
  readonly parameters: ParameterStore;
  readonly corpus: readonly Minibatch[];
  readonly loss: Loss;
  /** Threads to share the work with; this one alone where absent. */
  readonly crew?: ObjectiveCrew | undefined;
}

/** Threads that work together, and what they give each other. */
interface Together {
  readonly crew: ObjectiveCrew;
  readonly exchange: Exchange;
}

/**
 * The sum of a corpus's losses as a function of the free parameters, by shards: weights and gradient are one
 * number for each free parameter, and the corpus lies in the kernel's memory once and for all.
 *
 * The sums of shards are added in their order, so that the bytes are the same for any number of threads.
 * Cost of an evaluation: that of a forward-backward pass and of the pairs of the active features.
 */
export class ShardedLosses {
  readonly #together: Together | undefined;
  readonly #mine: MemberShards;
  readonly #losses: Float64Array;
  readonly #own: readonly ShardSums[];
  /** The sums of the shards of others, once they are known. */
  #others: readonly ShardSums[] | undefined;

  /**
   * @param size free parameters
   * @throws TagstreamError `config` if threads cannot share the work of the kernel or loss
   */
  constructor(options: LossesOptions, size: number) {
    const { kernel, parameters, loss, crew } = options;
    const sentences = options.corpus.flatMap(minibatch => minibatch.sentences);
    const corpus = corpusOfSentences(sentences);
    const members = crew?.members ?? 1;
    if (crew !== undefined && members > 1) {
      if (kernel.name !== 'simd') throw withoutThreads('kernel', kernel.name);
      const shared = sharedLoss(loss);
      if (shared === undefined) throw withoutThreads('loss', loss.name);
      const memory = new LinearMemory();
      memory.share();
      const places = shareCorpus(memory, packMinibatch(sentences));
      const shards = shardRanges(corpus.sentenceStarts).length - 1;
      const exchange = Exchange.create(memory, { size, shards, sentences: sentences.length });
      const { planes: _, ...shape } = placesOf(parameters);
      crew.start({
        ...{ memory: memory.memory, corpus: places, shape, exchange: exchange.places },
        ...{ precision: kernel.precision, loss: shared },
      });
      this.#together = { crew, exchange };
    }
    const parts = { kernel, loss, shape: parameters, corpus };
    this.#mine = new MemberShards({ ...parts, member: 0, members });
    this.#losses = this.#together?.exchange.losses ?? new Float64Array(sentences.length);
    this.#own = this.#mine.shards.map(({ free, size: sums }) => {
      return { free, sums: new Float64Array(sums) };
    });
  }

  /** The loss of each sentence at the last sum. */
  get losses(): Float64Array {
    return this.#losses;
  }

  /**
   * The sum of the losses; its gradient goes into `gradient`.
   *
   * @param meanwhile what this thread does while the others are at work already
   * @throws TagstreamError `numeric` where a loss is not finite; that of a thread that has died
   */
  sum(weights: Float64Array, gradient: Float64Array, meanwhile: () => void): number {
    this.#begin(weights);
    try {
      meanwhile();
      const sums = this.#own.map(own => own.sums);
      this.#mine.evaluate(weights, sums, this.#losses);
    } catch (error) {
      this.#together?.crew.signals.fail(error);
      throw error;
    }
    gradient.fill(0);
    this.#add(this.#own, gradient);
    this.#add(this.#finish(), gradient);
    return this.#losses.reduce((sum, loss) => sum + loss, 0);
  }

  #begin(weights: Float64Array): void {
    if (this.#together === undefined) return;
    const { crew, exchange } = this.#together;
    exchange.weights.set(weights);
    crew.signals.begin(commands.evaluate);
  }

  /** The sums of the other threads, when they are done. */
  #finish(): readonly ShardSums[] {
    if (this.#together === undefined) return [];
    const { crew, exchange } = this.#together;
    crew.signals.finish();
    this.#others ??= Array.from({ length: this.#mine.count - this.#own.length }, (_, i) =>
      exchange.take(this.#own.length + i),
    );
    return this.#others;
  }

  #add(shards: readonly ShardSums[], gradient: Float64Array): void {
    const from = gradient.length - this.#mine.others;
    for (const { free, sums } of shards) {
      for (let i = 0; i < free.length; i += 1) gradient[free[i]!]! += sums[i]!;
      for (let i = free.length; i < sums.length; i += 1) {
        gradient[from + i - free.length]! += sums[i]!;
      }
    }
  }
}

function withoutThreads(what: string, name: string): TagstreamError {
  return new TagstreamError('config', `several workers cannot train with the ${what} ${name}`, {
    fix: what === 'kernel' ? 'use the kernel simd or simd64, or workers: 1' : 'use workers: 1',
  });
}
