import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { CompactFeatures, Minibatch, PlacedRows } from '../../core/minibatch/minibatch.js';
import type { PackedRows } from '../../core/minibatch/packed-rows.js';
import { type PlacedCorpus, unknownSentences } from './placed-corpus.js';

/**
 * A minibatch of sentences of a corpus in shared memory. The kernel reads state features in place;
 * feature arrays are gathered on access.
 */
export class CorpusMinibatch implements Minibatch {
  readonly sentences: readonly EncodedSentence[];
  tokens = 0;
  readonly sentenceStarts: Uint32Array;
  readonly labelled: Uint8Array;
  readonly placed: PlacedRows;
  readonly compact: CompactFeatures | undefined;
  edgeStarts: Uint32Array | undefined;
  edgeRows: Uint32Array | undefined;
  edgeValues: Float64Array | undefined;
  readonly weights: Float64Array | undefined;
  readonly #corpus: PlacedCorpus;
  #goldRoom = new Int32Array(0);
  #gold: Int32Array | undefined;
  #state: PackedRows | undefined;
  #allowed: PackedRows | undefined;

  /** Takes the sentences `numbers[from .. to)`. */
  constructor(
    corpus: PlacedCorpus,
    numbers: Int32Array,
    from: number,
    to: number,
    compact?: CompactFeatures,
  ) {
    const count = to - from;
    const { starts, rows, values } = corpus.addresses;
    const firstTokens = new Uint32Array(count);
    this.compact = compact;
    this.#corpus = corpus;
    this.sentences = unknownSentences(count);
    this.sentenceStarts = new Uint32Array(count + 1);
    this.labelled = new Uint8Array(count);
    this.placed = { starts, rows, values, firstTokens, stateStarts: corpus.stateStarts };
    if (corpus.weights !== undefined) this.weights = new Float64Array(count);
    this.take(numbers, from);
  }

  /** Reuses the arrays for the same number of other sentences, from `numbers[from]` on. */
  take(numbers: Int32Array, from: number): void {
    const { sentenceStarts, labelled, weights, edgeStarts, edgeRows, edgeValues } = this.#corpus;
    const { firstTokens } = this.placed;
    const count = firstTokens.length;
    let tokens = 0;
    for (let s = 0; s < count; s += 1) {
      const number = numbers[from + s]!;
      const first = sentenceStarts[number]!;
      firstTokens[s] = first;
      this.labelled[s] = labelled[number]!;
      if (weights !== undefined) this.weights![s] = weights[number]!;
      tokens += sentenceStarts[number + 1]! - first;
      this.sentenceStarts[s + 1] = tokens;
    }
    this.tokens = tokens;
    this.#gold = undefined;
    this.#state = undefined;
    this.#allowed = undefined;
    if (edgeStarts === undefined) return;
    const edges = gatherRows(this, { starts: edgeStarts, rows: edgeRows!, values: edgeValues });
    this.edgeStarts = edges.starts;
    this.edgeRows = edges.rows;
    this.edgeValues = edges.values;
  }

  get gold(): Int32Array {
    this.#gold ??= this.#gatherGold();
    return this.#gold;
  }

  get stateStarts(): Uint32Array {
    return this.#gathered().starts;
  }

  get stateRows(): Uint32Array {
    return this.#gathered().rows;
  }

  /** Values of the state features; undefined if all are 1. */
  get stateValues(): Float64Array | undefined {
    return this.#gathered().values;
  }

  get allowedStarts(): Uint32Array | undefined {
    return this.#gatheredLabels()?.starts;
  }

  get allowedLabels(): Uint32Array | undefined {
    return this.#gatheredLabels()?.rows;
  }

  #gatherGold(): Int32Array {
    const { tokens, sentenceStarts } = this;
    const { gold } = this.#corpus;
    const { firstTokens } = this.placed;
    if (this.#goldRoom.length < tokens) this.#goldRoom = new Int32Array(2 * tokens);
    const gathered = this.#goldRoom;
    for (let s = 0; s < firstTokens.length; s += 1) {
      const shift = firstTokens[s]! - sentenceStarts[s]!;
      const end = sentenceStarts[s + 1]!;
      for (let t = sentenceStarts[s]!; t < end; t += 1) gathered[t] = gold[t + shift]!;
    }
    return gathered.subarray(0, tokens);
  }

  #gatheredLabels(): PackedRows | undefined {
    const { allowedStarts, allowedLabels } = this.#corpus;
    if (allowedStarts === undefined) return undefined;
    this.#allowed ??= gatherRows(this, { starts: allowedStarts, rows: allowedLabels! });
    return this.#allowed;
  }

  #gathered(): PackedRows {
    const { stateStarts, stateRows, stateValues } = this.#corpus;
    const rows = { starts: stateStarts, rows: stateRows, values: stateValues };
    this.#state ??= gatherRows(this, rows);
    return this.#state;
  }
}

/** Gathers the rows of a minibatch's sentences from the rows of its corpus. */
function gatherRows(
  { tokens, sentenceStarts, placed }: Pick<Minibatch, 'tokens' | 'sentenceStarts' | 'placed'>,
  corpus: PackedRows,
): PackedRows {
  const { firstTokens } = placed!;
  const starts = new Uint32Array(tokens + 1);
  for (let s = 0; s < firstTokens.length; s += 1) {
    const start = sentenceStarts[s]!;
    const first = firstTokens[s]!;
    const shift = starts[start]! - corpus.starts[first]!;
    for (let i = 1; i <= sentenceStarts[s + 1]! - start; i += 1) {
      starts[start + i] = corpus.starts[first + i]! + shift;
    }
  }
  const rows = new Uint32Array(starts[tokens]!);
  const values = corpus.values === undefined ? undefined : new Float64Array(rows.length);
  for (let s = 0; s < firstTokens.length; s += 1) {
    const from = corpus.starts[firstTokens[s]!]!;
    const target = starts[sentenceStarts[s]!]!;
    const to = from + starts[sentenceStarts[s + 1]!]! - target;
    rows.set(corpus.rows.subarray(from, to), target);
    values?.set(corpus.values!.subarray(from, to), target);
  }
  return { starts, rows, values };
}

/** Maximum number of sentences of a cached minibatch. */
const mostKept = 1024;

/**
 * Minibatches of a corpus that reuse their arrays: each is valid until the next one with the same
 * number of sentences. Allocating small arrays for each step takes longer than filling them.
 */
export class CorpusMinibatches {
  readonly #corpus: PlacedCorpus;
  /** Cached minibatches by number of sentences. */
  readonly #kept: (CorpusMinibatch | undefined)[] = new Array(mostKept + 1).fill(undefined);

  constructor(corpus: PlacedCorpus) {
    this.#corpus = corpus;
  }

  /** Returns the minibatch of the sentences `numbers[from .. to)`. */
  of(numbers: Int32Array, from: number, to: number): CorpusMinibatch {
    const kept = to - from > mostKept ? undefined : this.#kept[to - from];
    if (kept !== undefined) {
      kept.take(numbers, from);
      return kept;
    }
    const made = new CorpusMinibatch(this.#corpus, numbers, from, to);
    if (to - from <= mostKept) this.#kept[to - from] = made;
    return made;
  }
}
