import { Random } from '../../../core/random.js';
import type { State } from '../../../core/training/state.js';
import { CorpusMinibatches } from '../../../kernels/group/corpus-minibatch.js';
import {
  type CorpusNumbers,
  type PlacedCorpus,
  placeNumbers,
} from '../../../kernels/group/placed-corpus.js';
import { Lattice } from '../../../kernels/lattice.js';
import type { Plane } from '../../../kernels/memory/plane.js';
import { SimdKernel } from '../../../kernels/simd/simd-kernel.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { emptyStore } from '../../../kernels/store/placed-store.js';
import { contributionOf } from '../../../losses/contribution-of.js';
import type { Loss } from '../../../losses/loss.js';
import { receivedLoss } from '../../../losses/shared-loss.js';
import type { Mixing, Optimizer } from '../../../optimizers/optimizer.js';
import { optimizers } from '../../../optimizers/optimizers.js';
import { mixingOf } from './mixer.js';
import { patchOf, planeNumbers, zeros } from './patch.js';
import type { MixedPlanes, ShardJob, ShardPredictions, ShardResult } from './shard-job.js';

/**
 * Runs passes over shards of a corpus in one parameter store. Each pass starts from given numbers, so its result
 * depends only on these numbers, the shard and the pass, never on the worker or its earlier passes.
 */
export class ShardWorker {
  readonly #job: ShardJob;
  readonly #kernel: SimdKernel;
  readonly #store: ParameterStore;
  readonly #loss: Loss;
  readonly #optimizer: Optimizer;
  readonly #mixing: Mixing;
  /** State of the optimizer before its first sentence. */
  readonly #fresh: State;
  /** Scratch plane for the weights of a result. */
  readonly #result: Plane;
  readonly #lattice: Lattice;
  readonly #shards = new Map<number, PlacedCorpus>();

  constructor(job: ShardJob) {
    this.#job = job;
    this.#kernel = new SimdKernel(job.precision);
    this.#store = emptyStore(job.shape);
    // In shared memory, a shard's views stay valid when the next shard grows the memory.
    this.#store.memory.share();
    this.#loss = receivedLoss(job.loss);
    const { name, options } = job.optimizer;
    const component = optimizers.find(optimizer => optimizer.name === name)!;
    this.#optimizer = component.create(options as never, {
      ...{ kernel: this.#kernel, parameters: this.#store, corpusSize: job.corpusSize },
      ...{ endless: job.round !== undefined, mixed: true },
    });
    this.#mixing = mixingOf(this.#optimizer);
    this.#result = this.#store.addPlane();
    this.#optimizer.prepare();
    this.#fresh = copyOf(this.#optimizer.save());
    this.#lattice = new Lattice(this.#store.memory, this.#store.precision);
  }

  /** Returns zeros in the shape of a pass's starting numbers. */
  zeros(): MixedPlanes {
    const planes = [this.#store.weights, ...this.#mixing.sums];
    return planes.map(plane => zeros(planeNumbers(this.#store, plane)));
  }

  /** Whether the worker has a shard's sentences. */
  has(shard: number): boolean {
    return this.#shards.has(shard);
  }

  /** Stores a shard's sentences for all passes over it. */
  add(shard: number, sentences: CorpusNumbers): void {
    this.#shards.set(shard, placeNumbers(this.#store.memory, sentences));
  }

  /**
   * Runs one pass over a shard; the generator yields once per minibatch. The order depends on the seed, the pass
   * and the shard; a single shard uses the order of `passes`.
   *
   * @param pass number of the pass, from 1
   * @throws TagstreamError `numeric` if a loss is not finite
   */
  *pass(shard: number, pass: number, start: MixedPlanes): Generator<void, ShardResult> {
    const store = this.#store;
    const optimizer = this.#optimizer;
    const corpus = this.#corpus(shard);
    this.#begin(pass, start);
    const minibatches = new CorpusMinibatches(corpus);
    const numbers = this.#order(shard, pass, corpus.labelled.length);
    let loss = 0;
    let sentences = 0;
    const predictions = this.#job.round?.predict === true ? predictionsOf(corpus) : undefined;
    let tokens = 0;
    for (let from = 0; from < numbers.length; ) {
      const to = this.#end(corpus, numbers, from);
      const minibatch = minibatches.of(numbers, from, to);
      optimizer.prepare(minibatch);
      const contribution = contributionOf(
        ...([this.#kernel, store, this.#lattice, minibatch, this.#loss] as const),
        predictions !== undefined,
      );
      // A round's shards keep the stream order.
      predictions?.labels.set(contribution.predicted!, tokens);
      predictions?.losses.set(contribution.losses, from);
      tokens += minibatch.tokens;
      if (contribution.sentenceCount > 0) optimizer.apply(contribution);
      loss += contribution.loss;
      sentences += contribution.sentenceCount;
      from = to;
      yield;
    }
    const said = predictions === undefined ? {} : { predictions };
    return { sentences, tokens: corpus.tokens, loss, ...this.#changes(start), ...said };
  }

  #corpus(shard: number): PlacedCorpus {
    const corpus = this.#shards.get(shard);
    if (corpus === undefined) throw new TypeError(`the worker has no shard ${shard}`);
    return corpus;
  }

  /** Copies the starting numbers and resets everything else to its initial state. */
  #begin(pass: number, [weights, ...sums]: MixedPlanes): void {
    const store = this.#store;
    this.#optimizer.restore(this.#fresh);
    const { round, corpusSize } = this.#job;
    this.#mixing.startAt(round?.seen ?? (pass - 1) * corpusSize);
    const put = (plane: Plane, numbers: MixedPlanes[number]) => {
      for (const [t, table] of planeNumbers(store, plane).entries()) table.set(numbers[t]!);
    };
    put(store.weights, weights!);
    for (const [i, plane] of this.#mixing.sums.entries()) put(plane, sums[i]!);
    store.scale = 1;
    store.version += 1;
  }

  #order(shard: number, pass: number, count: number): Int32Array {
    const order = Uint32Array.from({ length: count }, (_, i) => i);
    const { seed, shuffle } = this.#job;
    if (shuffle) new Random(seed * 1000003 + pass + shard * 15485863).shuffle(order);
    return Int32Array.from(order);
  }

  /** Returns the end of the minibatch that begins at `from`, by the rules of the stage `batch`. */
  #end({ sentenceStarts }: PlacedCorpus, numbers: Int32Array, from: number): number {
    const { tokens = Number.POSITIVE_INFINITY, sentences } = this.#job.minibatches;
    const most = sentences ?? (tokens === Number.POSITIVE_INFINITY ? 1 : tokens);
    let held = 0;
    let to = from;
    while (to < numbers.length && to - from < most) {
      const number = numbers[to]!;
      const length = sentenceStarts[number + 1]! - sentenceStarts[number]!;
      if (to > from && held + length > tokens) break;
      held += length;
      to += 1;
      if (held >= tokens) break;
    }
    return to;
  }

  #changes(start: MixedPlanes): Pick<ShardResult, 'planes' | 'averaged' | 'average'> {
    const store = this.#store;
    const [weights, ...sums] = start;
    this.#optimizer.prepare();
    this.#mixing.present(this.#result);
    const last = patchOf(planeNumbers(store, this.#result), weights!, store.scale);
    const added = this.#mixing.sums.map((plane, i) =>
      patchOf(planeNumbers(store, plane), sums[i]!),
    );
    const averaged = this.#mixing.averaged();
    const planes = [last, ...added];
    if (averaged === 0) return { planes, averaged };
    this.#optimizer.deploy(this.#result);
    const average = patchOf(planeNumbers(store, this.#result), weights!);
    return { planes, averaged, average };
  }
}

function predictionsOf({ tokens, labelled }: PlacedCorpus): ShardPredictions {
  return { labels: new Int32Array(tokens), losses: new Float64Array(labelled.length) };
}

function copyOf({ json, arrays }: State): State {
  const own = Object.entries(arrays).map(([name, array]) => [name, array.slice()]);
  return { json: structuredClone(json), arrays: Object.fromEntries(own) };
}
