import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { CompactFeatures, Minibatch } from '../../core/minibatch/minibatch.js';
import { PackedMinibatch } from '../../core/minibatch/packed-minibatch.js';
import { type PackedRows, stateRowsOf } from '../../core/minibatch/packed-rows.js';
import { packRows, positionsOf } from '../../core/minibatch/position-minibatch.js';
import { CompactPlane, type StoreShape } from '../../kernels/compact/compact-store.js';
import { placeFeatures } from '../../kernels/compact/place-features.js';
import { CorpusMinibatch } from '../../kernels/group/corpus-minibatch.js';
import type { PlacedCorpus } from '../../kernels/group/placed-corpus.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Lattice } from '../../kernels/lattice.js';
import { CompressedRows } from '../../kernels/store/compressed-rows.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { contributionOf } from '../../losses/contribution-of.js';
import type { Loss } from '../../losses/loss.js';
import type { FreeParameters } from '../vectors/free-parameters.js';

/** Number of sentences scored at a time: few enough for their tables to stay in the L2 cache. */
const atOnce = 16;

/** Tools shared by the shards of one thread. */
export interface ShardTools {
  readonly kernel: Kernel;
  readonly loss: Loss;
  readonly shape: StoreShape;
  readonly pairStarts: Uint32Array;
  /** Parameters of transitions and edge features, with the compressed rows of the current shard. */
  readonly store: ParameterStore;
  readonly lattice: Lattice;
  /** The parameters of `store` except those of state features. */
  readonly others: FreeParameters;
}

/**
 * A part of a corpus with the weights of only its own features, in a separate layout, and separate sums: the
 * features of an eighth of a corpus hit the caches more often than all features.
 */
export class Shard {
  readonly #tools: ShardTools;
  readonly #rows: CompressedRows;
  readonly #plane: CompactPlane;
  readonly #batches: readonly Minibatch[];
  readonly #from: number;

  /** Takes the sentences `[from, to)` of a corpus. */
  constructor(tools: ShardTools, corpus: ShardCorpus, from: number, to: number) {
    const { shape, pairStarts, store } = tools;
    const packed = corpus.rows(from, to);
    const features = featuresOf(packed.rows, packed.starts, shape.stateRows);
    const rows = new CompressedRows(shape, features, pairStarts, store.memory, store.width);
    this.#tools = tools;
    this.#from = from;
    this.#rows = rows;
    this.#plane = new CompactPlane(store, rows);
    const places = placeFeatures(rows, packed);
    const batches: Minibatch[] = [];
    const { sentenceStarts } = corpus;
    for (let s = from; s < to; s += atOnce) {
      const end = Math.min(s + atOnce, to);
      const firstRows = sentenceStarts.slice(s, end).map(start => start - sentenceStarts[from]!);
      batches.push(corpus.minibatch(s, end, { ...places, firstRows }));
    }
    this.#batches = batches;
  }

  /**
   * Returns the places of the shard's sums among `size` free parameters: its state parameters, then all non-state
   * ones.
   */
  places(size: number): Uint32Array {
    const { free } = this.#rows;
    const others = this.#tools.others.size;
    const places = new Uint32Array(free.length + others);
    places.set(free);
    for (let i = 0; i < others; i += 1) places[free.length + i] = size - others + i;
    return places;
  }

  /** Replaces the shard's copy of its places by one in shared memory. */
  sharePlaces(places: Uint32Array): void {
    this.#rows.free = places.subarray(0, this.#rows.free.length);
  }

  /**
   * Writes the losses' gradient to `sums`, in the order of `places`, and each sentence's loss to `losses`. The
   * weights of `others` must be in the store.
   *
   * @throws TagstreamError `numeric` if a loss is not finite
   */
  evaluate(weights: Float64Array, sums: Float64Array, losses: Float64Array): void {
    const { kernel, store, lattice, loss, others } = this.#tools;
    const plane = this.#plane;
    this.#rows.set(weights);
    store.compressed = this.#rows;
    plane.clear();
    let next = this.#from;
    for (const minibatch of this.#batches) {
      const made = contributionOf(kernel, store, lattice, minibatch, loss);
      for (let s = 0; s < minibatch.labelled.length; s += 1) {
        if (minibatch.labelled[s] === 1) kernel.accumulateCompressed(store, plane, made, s);
      }
      losses.set(made.losses, next);
      next += made.losses.length;
    }
    this.#rows.gather(plane, sums);
    others.gather(plane, sums.subarray(this.#rows.free.length));
  }
}

/** Returns the features of some tokens, ascending. */
function featuresOf(rows: Uint32Array, starts: Uint32Array, count: number): Uint32Array {
  const seen = new Uint8Array(count);
  let size = 0;
  for (let k = starts[0]!; k < starts[starts.length - 1]!; k += 1) {
    const row = rows[k]!;
    size += 1 - seen[row]!;
    seen[row] = 1;
  }
  const features = new Uint32Array(size);
  let next = 0;
  for (let row = 0; row < count; row += 1) {
    if (seen[row] === 0) continue;
    features[next] = row;
    next += 1;
  }
  return features;
}

/** A corpus from which shards are cut, independent of its storage. */
export interface ShardCorpus {
  /** First token of each sentence, and the number of tokens; segment candidates count as tokens. */
  readonly sentenceStarts: Uint32Array;
  /** Returns the state features of the tokens in sentences `[from, to)`; the first start may be above 0. */
  rows(from: number, to: number): PackedRows;
  minibatch(from: number, to: number, compact: CompactFeatures): Minibatch;
}

/** Returns a corpus of sentences in this thread. */
export function corpusOfSentences(sentences: readonly EncodedSentence[]): ShardCorpus {
  const sentenceStarts = new Uint32Array(sentences.length + 1);
  for (const [s, sentence] of sentences.entries()) {
    sentenceStarts[s + 1] = sentenceStarts[s]! + positionsOf(sentence);
  }
  return {
    sentenceStarts,
    rows: (from, to) => packRows(sentences.slice(from, to), stateRowsOf),
    minibatch: (from, to, compact) => new PackedMinibatch(sentences.slice(from, to), compact),
  };
}

/** Returns a corpus in memory shared by threads. */
export function corpusInMemory(corpus: PlacedCorpus): ShardCorpus {
  const { sentenceStarts, stateStarts, stateRows, stateValues } = corpus;
  const numbers = Int32Array.from({ length: sentenceStarts.length - 1 }, (_, s) => s);
  return {
    sentenceStarts,
    rows: (from, to) => ({
      starts: stateStarts.subarray(sentenceStarts[from]!, sentenceStarts[to]! + 1),
      rows: stateRows,
      values: stateValues,
    }),
    minibatch: (from, to, compact) => new CorpusMinibatch(corpus, numbers, from, to, compact),
  };
}
