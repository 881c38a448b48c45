import { TagstreamError } from '../core/errors.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import { packMinibatch } from '../core/minibatch/pack-minibatch.js';
import { PackedMinibatch } from '../core/minibatch/packed-minibatch.js';
import { kinds, requireArgument, requireKnown } from '../core/schema/require-argument.js';
import type { Contribution } from '../core/training/contribution.js';
import { commands } from '../kernels/group/group-signals.js';
import { corpusNumbers, shareCorpus } from '../kernels/group/placed-corpus.js';
import type { Kernel } from '../kernels/kernel.js';
import { Lattice } from '../kernels/lattice.js';
import { LinearMemory } from '../kernels/memory/linear-memory.js';
import type { ParameterStore } from '../kernels/store/parameter-store.js';
import { shapeOf } from '../kernels/store/placed-store.js';
import { contributionOf } from '../losses/contribution-of.js';
import type { Loss } from '../losses/loss.js';
import { sharedLoss } from '../losses/shared-loss.js';
import { SharedLosses } from './chains/shared-losses.js';
import { Exchange } from './shards/exchange.js';
import { MemberShards, shardRanges } from './shards/member-shards.js';
import type { ObjectiveGroup, RemoteSums } from './shards/objective-group.js';
import { corpusOfSentences } from './shards/shard.js';
import { type SmoothObjective, VectorSpace } from './space/vector-space.js';
import type { SparseTable } from './space/vector-tables.js';
import { FreeParameters } from './vectors/free-parameters.js';
import { dot } from './vectors/vectors.js';

/** The definition of a sum of losses. */
interface LossesOptions {
  readonly kernel: Kernel;
  readonly parameters: ParameterStore;
  readonly corpus: readonly Minibatch[];
  readonly loss: Loss;
  /** Threads that share the work; default: only this thread. */
  readonly group?: ObjectiveGroup | undefined;
}

/**
 * The sum of a corpus's losses as a function of the free parameters, computed by shards: weights and gradient have one number
 * per free parameter, and the corpus stays in the kernel's memory.
 *
 * Shard sums are added in order, so the bytes are the same for any number of threads. Cost of an evaluation: a
 * forward-backward pass, and O(pairs of the active features).
 */
class ShardedLosses {
  readonly #group: ObjectiveGroup | undefined;
  readonly #space: VectorSpace;
  readonly #exchange: Exchange;
  readonly #mine: MemberShards;
  /** The sums of all shards, once they are known. */
  #sums: SparseTable | undefined;
  /** Memory that other threads read only while they lay out their shards: offsets and bytes. */
  readonly #readOnce: [offset: number, bytes: number][] = [];
  /** Buffer for weights given as a vector outside the space. */
  #weights: Float64Array | undefined;
  #gradient: Float64Array | undefined;

  /** @throws TagstreamError `config` if threads cannot share the work with this kernel or loss */
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
      if (kernel.canShare !== true) throw withoutThreads('kernel', kernel.name);
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

  /** Returns the parameters' shape for other threads, with its largest part in shared memory. */
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
   * Returns the sum of the losses and writes its gradient to `gradient`.
   *
   * @param meanwhile work for this thread once the others have started
   * @throws TagstreamError `numeric` if a loss is not finite; or the error of a thread that died
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
  return new TagstreamError('config', `workers cannot be combined with the ${what} ${name}`, {
    fix: what === 'kernel' ? 'use the kernel simd or simd64, or workers: 1' : 'use workers: 1',
  });
}

/**
 * The sum of a corpus's losses as a function of the free parameters, with shards evaluated elsewhere. Their sums are added in
 * shard order, as in `ShardedLosses`, so both give the same bytes for the same number of shards.
 */
class RemoteLosses {
  readonly losses: Float64Array;
  readonly #remote: RemoteSums;
  readonly #places: readonly Uint32Array[];
  readonly #starts: Uint32Array;

  /** @throws TagstreamError `config` if machines cannot share the work with this kernel or loss */
  constructor(
    { kernel, parameters, loss, corpus }: LossesOptions,
    remote: RemoteSums,
    size: number,
  ) {
    const sentences = corpus.flatMap(minibatch => minibatch.sentences);
    const shared = sharedLoss(loss);
    if (kernel.canShare !== true) throw withoutMachines('kernel', kernel.name);
    if (shared === undefined) throw withoutMachines('loss', loss.name);
    const ranges = shardRanges(corpusOfSentences(sentences).sentenceStarts, remote.shards);
    this.#remote = remote;
    this.#starts = ranges;
    this.losses = new Float64Array(sentences.length);
    const shape = { ...shapeOf(parameters), scale: 1 };
    const job = { precision: kernel.precision, shape, loss: shared, size };
    const shards = Array.from({ length: ranges.length - 1 }, (_, i) =>
      corpusNumbers(new PackedMinibatch(sentences.slice(ranges[i]!, ranges[i + 1]!))),
    );
    this.#places = remote.begin(job, shards);
  }

  /** Returns the sum of the losses and writes its gradient to `gradient`. */
  sum(weights: Float64Array, gradient: Float64Array, meanwhile: () => void): number {
    meanwhile();
    const sums = this.#remote.evaluate(weights);
    gradient.fill(0);
    for (const [shard, { values, losses }] of sums.entries()) {
      const places = this.#places[shard]!;
      for (let i = 0; i < places.length; i += 1) gradient[places[i]!]! += values[i]!;
      this.losses.set(losses, this.#starts[shard]!);
    }
    return this.losses.reduce((sum, loss) => sum + loss, 0);
  }
}

function withoutMachines(what: string, name: string): TagstreamError {
  return new TagstreamError('config', `train.cluster cannot be combined with the ${what} ${name}`, {
    fix: 'leave train.cluster out',
  });
}

/** The definition of an objective. */
export interface ObjectiveOptions {
  readonly kernel: Kernel;
  readonly parameters: ParameterStore;
  /** The corpus; losses are summed in its order. */
  readonly corpus: readonly Minibatch[];
  readonly loss: Loss;
  /** L2 penalty: l2 * sum w^2. Default 0. */
  readonly l2?: number;
  /** Threads that share the evaluations, including this thread; the resulting bytes do not depend on their number. */
  readonly group?: ObjectiveGroup | undefined;
  /** Evaluates the shards outside this process. */
  readonly remote?: RemoteSums | undefined;
}

/**
 * The objective of batch trainers, a function of the free parameters:
 *
 *     f(w) = sum of the sentences' losses + l2 * sum w^2
 *
 * An L1 penalty is not smooth, and is added by trainers that can handle it. Gradients are summed in float64; a float32
 * kernel's sums have about seven digits.
 */
export class Objective implements SmoothObjective {
  readonly free: FreeParameters;
  readonly l2: number;
  /** Number of passes through the corpus so far. */
  evaluations = 0;
  readonly #options: ObjectiveOptions;
  readonly #lattice: Lattice;
  #losses: ShardedLosses | RemoteLosses | undefined;
  #space: VectorSpace | undefined;
  /** A vector of the space not yet copied to the parameters. */
  #unplaced: Float64Array | undefined;
  /** Sums losses through shared transition scores if many tokens share them; null before the first check. */
  #shared: SharedLosses | undefined | null = null;

  constructor(options: ObjectiveOptions) {
    requireKnown('Objective', options, [
      ...['kernel', 'parameters', 'corpus', 'loss', 'l2', 'group', 'remote'],
    ]);
    requireArgument('Objective.kernel', options.kernel, kinds.kernel);
    requireArgument('Objective.parameters', options.parameters, kinds.parameters);
    requireArgument('Objective.corpus', options.corpus, kinds.list);
    requireArgument('Objective.loss', options.loss, kinds.loss);
    const { kernel, parameters } = options;
    this.#options = options;
    this.l2 = options.l2 ?? 0;
    this.free = new FreeParameters(parameters);
    this.#lattice = new Lattice(parameters.memory, parameters.precision);
    if (parameters.scale !== 1) kernel.scalePlane(parameters.weights, parameters.scale);
    parameters.scale = 1;
  }

  /** The corpus; losses are summed in its order. */
  get corpus(): readonly Minibatch[] {
    return this.#options.corpus;
  }

  get kernel(): Kernel {
    return this.#options.kernel;
  }

  /** The loss summed over the sentences. */
  get loss(): Loss {
    return this.#options.loss;
  }

  /** The parameters, holding the weights of the last evaluation. */
  get parameters(): ParameterStore {
    this.settle();
    return this.#options.parameters;
  }

  /**
   * The space of an optimizer's vectors, which evaluations need not copy. If the parameters already have numbers, vectors
   * share their memory and reuse what is freed there; otherwise they lie in memory that is freed before the parameters need
   * theirs.
   */
  get space(): VectorSpace {
    const { isInUse, memory } = this.#options.parameters;
    this.#space ??= new VectorSpace(this.free.size, isInUse ? memory : new LinearMemory());
    return this.#space;
  }

  /** Returns whether a vector belongs to `space`. */
  owns(vector: Float64Array): boolean {
    return this.#space?.has(vector) === true;
  }

  /** Returns the current weights as a vector. */
  weights(): Float64Array {
    const vector = new Float64Array(this.free.size);
    const { parameters } = this;
    if (parameters.isInUse) this.free.gather(parameters.weights, vector);
    return vector;
  }

  /** Copies the weights of a vector to the parameters. */
  place(weights: Float64Array): void {
    const { parameters } = this.#options;
    this.#unplaced = undefined;
    this.free.scatter(weights, parameters.weights);
    parameters.version += 1;
  }

  /**
   * Copies the last evaluated vector of `space`, with its current contents, to the parameters unless already done.
   */
  settle(): void {
    if (this.#unplaced !== undefined) this.place(this.#unplaced);
  }

  /**
   * Frees the memory needed only for further evaluations: shards of the corpus and vectors of `space`. No evaluation may
   * follow.
   */
  release(): void {
    this.#unplaced = this.#unplaced?.slice();
    this.#losses = undefined;
    this.#shared = null;
    this.#space = undefined;
  }

  /**
   * Returns f(weights) and writes its gradient to `gradient`; the parameters then hold these weights (for a vector of
   * `space`, once `settle` is called or `parameters` is read). Cost: one forward-backward pass over the corpus.
   *
   * @param losses receives the loss of each sentence, in corpus order
   * @throws TagstreamError `numeric` if a loss is not finite
   */
  evaluate(weights: Float64Array, gradient: Float64Array, losses?: Float64Array): number {
    this.evaluations += 1;
    let value: number | undefined;
    const { remote } = this.#options;
    if (this.#shared === null)
      this.#shared = remote === undefined ? SharedLosses.of(this) : undefined;
    if (this.#shared !== undefined) {
      this.place(weights);
      value = this.#shared.sum(gradient, losses);
    }
    value ??= this.#sum(weights, gradient, losses);
    return this.l2 === 0 ? value : value + this.#penalise(weights, gradient);
  }

  /** Returns the sum of the losses, computed by shards of the corpus in all available threads. */
  #sum(weights: Float64Array, gradient: Float64Array, losses?: Float64Array): number {
    const { remote } = this.#options;
    this.#losses ??=
      remote === undefined
        ? new ShardedLosses(this.#options, this.space)
        : new RemoteLosses(this.#options, remote, this.free.size);
    try {
      const value = this.#losses.sum(weights, gradient, () => {
        if (this.owns(weights)) this.#unplaced = weights;
        else this.place(weights);
      });
      losses?.set(this.#losses.losses);
      return value;
    } catch (error) {
      if (error instanceof TagstreamError && error.code === 'numeric') this.#nameRecord();
      throw error;
    }
  }

  /** Repeats a pass with a loss that is not finite, because other threads cannot name the record. */
  #nameRecord(): void {
    for (const minibatch of this.corpus) this.contribute(minibatch);
  }

  /**
   * Returns the loss and gradient of chosen sentences at the current weights, without the penalty; valid until the next call.
   * `loss` may differ from the objective's; residuals of plain transitions may be omitted if they are not read. Cost: one
   * forward-backward pass over the sentences.
   *
   * @throws TagstreamError `numeric` if a loss is not finite
   */
  contribute(
    minibatch: Minibatch,
    loss = this.#options.loss,
    readsTransitions = true,
  ): Contribution {
    const { kernel } = this.#options;
    const { parameters } = this;
    this.#lattice.readsPairSums = readsTransitions;
    const contribution = contributionOf(kernel, parameters, this.#lattice, minibatch, loss);
    this.#lattice.readsPairSums = true;
    return contribution;
  }

  /** Returns l2 * sum w^2. */
  penalty(weights: Float64Array): number {
    if (this.l2 === 0) return 0;
    return (
      this.l2 * (this.owns(weights) ? this.space.dot(weights, weights) : dot(weights, weights))
    );
  }

  #penalise(weights: Float64Array, gradient: Float64Array): number {
    const slope = 2 * this.l2;
    if (this.owns(weights) && this.owns(gradient)) {
      this.space.combine(gradient, 1, gradient, slope, weights);
    } else for (let i = 0; i < weights.length; i += 1) gradient[i]! += slope * weights[i]!;
    return this.penalty(weights);
  }
}
