import { TagstreamError } from '../../core/errors.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { commands } from '../../kernels/group/group-signals.js';
import { shareCorpus } from '../../kernels/group/placed-corpus.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { shapeOf } from '../../kernels/store/store-places.js';
import type { Loss } from '../../losses/loss.js';
import { sharedLoss } from '../../losses/shared-loss.js';
import type { SparseTable } from '../space/sparse-table.js';
import type { VectorSpace } from '../space/vector-space.js';
import { Exchange } from './exchange.js';
import { MemberShards } from './member-shards.js';
import type { ObjectiveGroup } from './objective-group.js';
import { corpusOfSentences } from './shard-corpus.js';
import { shardRanges } from './shard-ranges.js';

/** What a sum of losses is made of. */
export interface LossesOptions {
  readonly kernel: Kernel;
  readonly parameters: ParameterStore;
  readonly corpus: readonly Minibatch[];
  readonly loss: Loss;
  /** Threads to share the work with; this one alone where absent. */
  readonly group?: ObjectiveGroup | undefined;
}

/**
 * The sum of a corpus's losses as a function of the free parameters, by shards: weights and gradient are one
 * number for each free parameter, and the corpus lies in the kernel's memory once and for all.
 *
 * The sums of shards are added in their order, so that the bytes are the same for any number of threads.
 * Cost of an evaluation: that of a forward-backward pass and of the pairs of the active features.
 */
export class ShardedLosses {
  readonly #group: ObjectiveGroup | undefined;
  readonly #space: VectorSpace;
  readonly #exchange: Exchange;
  readonly #mine: MemberShards;
  /** The sums of all shards, once they are known. */
  #sums: SparseTable | undefined;
  /** What other threads only read to lay out their shards: offsets and bytes. */
  readonly #readOnce: [offset: number, bytes: number][] = [];
  /** In the place of vectors that are not of the space. */
  #weights: Float64Array | undefined;
  #gradient: Float64Array | undefined;

  /** @throws TagstreamError `config` if threads cannot share the work of the kernel or loss */
  constructor(options: LossesOptions, space: VectorSpace) {
    const { kernel, parameters, loss } = options;
    const { memory, size } = space;
    const sentences = options.corpus.flatMap(minibatch => minibatch.sentences);
    const corpus = corpusOfSentences(sentences);
    const shards = shardRanges(corpus.sentenceStarts).length - 1;
    const members = options.group?.members ?? 1;
    this.#space = space;
    this.#exchange = Exchange.create(memory, { size, shards, sentences: sentences.length });
    const { places: exchange } = this.#exchange;
    if (options.group !== undefined && members > 1) {
      if (kernel.name !== 'simd') throw withoutThreads('kernel', kernel.name);
      const shared = sharedLoss(loss);
      if (shared === undefined) throw withoutThreads('loss', loss.name);
      this.#group = options.group;
      const places = shareCorpus(memory, packMinibatch(sentences));
      this.#group.start({
        ...{ memory: memory.memory, corpus: places, shape: this.#sharedShape(parameters) },
        ...{ exchange, space: space.places, precision: kernel.precision, loss: shared },
      });
      const { stateRows, stateValues } = places.arrays;
      if (stateRows !== undefined) this.#readOnce.push([stateRows.offset, 4 * stateRows.length]);
      if (stateValues !== undefined) {
        this.#readOnce.push([stateValues.offset, 8 * stateValues.length]);
      }
      space.share(this.#group);
    }
    this.#mine = new MemberShards({
      ...{ kernel, loss, shape: parameters, corpus, exchange: this.#exchange },
      ...{ member: 0, members },
    });
  }

  /** The shape for other threads, its largest part in memory that they share. */
  #sharedShape(parameters: ParameterStore): ReturnType<typeof shapeOf> {
    const shape = shapeOf(parameters);
    if (shape.support === undefined) return shape;
    const { memory } = this.#space;
    const { state, transitions } = shape.support;
    const bytes = parameters.stateRows * parameters.width;
    const offset = memory.allocate(bytes);
    this.#readOnce.push([offset, bytes]);
    const shared = new Uint8Array(memory.buffer, offset, bytes);
    shared.set(state.subarray(0, bytes));
    return { ...shape, support: { state: shared, transitions } };
  }

  /** The loss of each sentence at the last sum. */
  get losses(): Float64Array {
    return this.#exchange.losses;
  }

  /**
   * The sum of the losses; its gradient goes into `gradient`.
   *
   * @param meanwhile what this thread does while the others are at work already
   * @throws TagstreamError `numeric` where a loss is not finite; that of a thread that has died
   */
  sum(weights: Float64Array, gradient: Float64Array, meanwhile: () => void): number {
    const space = this.#space;
    this.#exchange.weights = space.has(weights) ? weights : this.#copied(weights);
    this.#group?.signals.begin(commands.evaluate);
    try {
      meanwhile();
      this.#mine.evaluate(this.#exchange);
    } catch (error) {
      this.#group?.signals.fail(error);
      throw error;
    }
    this.#group?.signals.finish();
    // All threads have laid out their shards by now.
    for (const [offset, bytes] of this.#readOnce.splice(0)) space.memory.free(offset, bytes);
    this.#sums ??= space.sparse(
      Array.from({ length: this.#mine.count }, (_, shard) => this.#exchange.take(shard)),
    );
    if (space.has(gradient)) space.sumSparse(gradient, this.#sums);
    else {
      this.#gradient ??= space.vector();
      space.sumSparse(this.#gradient, this.#sums);
      gradient.set(this.#gradient);
    }
    return this.losses.reduce((sum, loss) => sum + loss, 0);
  }

  #copied(weights: Float64Array): Float64Array {
    this.#weights ??= this.#space.vector();
    this.#weights.set(weights);
    return this.#weights;
  }
}

function withoutThreads(what: string, name: string): TagstreamError {
  return new TagstreamError('config', `several workers cannot train with the ${what} ${name}`, {
    fix: what === 'kernel' ? 'use the kernel simd or simd64, or workers: 1' : 'use workers: 1',
  });
}
