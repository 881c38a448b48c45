import type { EncodedSentence } from '../../core/encoded-sentence.js';
import type { CompactFeatures, Minibatch, PlacedRows } from '../../core/minibatch.js';
import type { PackedRows } from '../../core/pack-rows.js';
import { gatherRows } from './gather-rows.js';
import { type PlacedCorpus, unknownSentences } from './placed-corpus.js';

/**
 * The minibatch of some sentences of a corpus in shared memory, where their state features stay: the
 * kernel finds them there. Whoever asks for its arrays of features gets them gathered.
 */
export class CorpusMinibatch implements Minibatch {
  readonly sentences: readonly EncodedSentence[];
  readonly tokens: number;
  readonly sentenceStarts: Uint32Array;
  readonly labelled: Uint8Array;
  readonly placed: PlacedRows;
  readonly compact: CompactFeatures | undefined;
  readonly edgeStarts: Uint32Array | undefined;
  readonly edgeRows: Uint32Array | undefined;
  readonly edgeValues: Float64Array | undefined;
  readonly weights: Float64Array | undefined;
  readonly #corpus: PlacedCorpus;
  #gold: Int32Array | undefined;
  #state: PackedRows | undefined;
  #allowed: PackedRows | undefined;

  /** The sentences `numbers[from .. to)`. */
  constructor(
    corpus: PlacedCorpus,
    numbers: Int32Array,
    from: number,
    to: number,
    compact?: CompactFeatures,
  ) {
    this.compact = compact;
    const { sentenceStarts, labelled, stateStarts, edgeStarts, edgeRows, edgeValues } = corpus;
    const count = to - from;
    const firstTokens = new Uint32Array(count);
    this.#corpus = corpus;
    this.sentenceStarts = new Uint32Array(count + 1);
    this.labelled = new Uint8Array(count);
    let tokens = 0;
    for (let s = 0; s < count; s += 1) {
      const number = numbers[from + s]!;
      firstTokens[s] = sentenceStarts[number]!;
      this.labelled[s] = labelled[number]!;
      tokens += sentenceStarts[number + 1]! - sentenceStarts[number]!;
      this.sentenceStarts[s + 1] = tokens;
    }
    this.tokens = tokens;
    this.sentences = unknownSentences(count);
    this.placed = { ...corpus.addresses, firstTokens, stateStarts };
    const { weights } = corpus;
    if (weights !== undefined) {
      this.weights = Float64Array.from({ length: count }, (_, s) => weights[numbers[from + s]!]!);
    }
    if (edgeStarts === undefined) return;
    const edges = gatherRows(this, { starts: edgeStarts, rows: edgeRows!, values: edgeValues });
    this.edgeStarts = edges.starts;
    this.edgeRows = edges.rows;
    this.edgeValues = edges.values;
  }

  get gold(): Int32Array {
    if (this.#gold === undefined) {
      this.#gold = new Int32Array(this.tokens);
      const { gold } = this.#corpus;
      const { firstTokens } = this.placed;
      for (let s = 0; s < firstTokens.length; s += 1) {
        const shift = firstTokens[s]! - this.sentenceStarts[s]!;
        const end = this.sentenceStarts[s + 1]!;
        for (let t = this.sentenceStarts[s]!; t < end; t += 1) this.#gold[t] = gold[t + shift]!;
      }
    }
    return this.#gold;
  }

  get stateStarts(): Uint32Array {
    return this.#gathered().starts;
  }

  get stateRows(): Uint32Array {
    return this.#gathered().rows;
  }

  /** Undefined where all are 1. */
  get stateValues(): Float64Array | undefined {
    return this.#gathered().values;
  }

  get allowedStarts(): Uint32Array | undefined {
    return this.#gatheredLabels()?.starts;
  }

  get allowedLabels(): Uint32Array | undefined {
    return this.#gatheredLabels()?.rows;
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
