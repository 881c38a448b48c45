import { type EncodedSentence, isKnown, type LateRows } from './encoded-sentence.js';
import type { CompactFeatures, Minibatch } from './minibatch.js';
import { allowedRowsOf, edgeRowsOf, type PackedRows, tokenRowsOf } from './packed-rows.js';
import { PositionMinibatch, packRows } from './position-minibatch.js';

/**
 * Packed sentences, whose arrays are packed lazily because not every consumer reads them. For a
 * single sentence see `SentenceMinibatch`.
 */
export class PackedMinibatch implements Minibatch {
  readonly sentences: readonly EncodedSentence[];
  readonly tokens: number;
  readonly sentenceStarts: Uint32Array;
  readonly compact: CompactFeatures | undefined;
  readonly #hasEdges: boolean;
  readonly #isPartial: boolean;
  readonly #isWeighted: boolean;
  #state: PackedRows | undefined;
  #edges: PackedRows | undefined;
  #gold: Int32Array | undefined;
  #labelled: Uint8Array | undefined;
  #allowed: PackedRows | undefined;
  #weights: Float64Array | undefined;
  readonly #hasCandidates: boolean;
  #positions: Minibatch | undefined;

  constructor(sentences: readonly EncodedSentence[], compact?: CompactFeatures) {
    const count = sentences.length;
    const starts = new Uint32Array(count + 1);
    let tokens = 0;
    let hasEdges = false;
    let isPartial = false;
    let isWeighted = false;
    let hasCandidates = false;
    for (let s = 0; s < count; s += 1) {
      const sentence = sentences[s]!;
      tokens += sentence.length;
      starts[s + 1] = tokens;
      if (sentence.edgeStarts !== undefined) hasEdges = true;
      if (sentence.allowed !== undefined) isPartial = true;
      if (sentence.candidates !== undefined) hasCandidates = true;
      if (sentence.weight !== undefined && sentence.weight !== 1) isWeighted = true;
    }
    this.sentences = sentences;
    this.compact = compact;
    this.tokens = tokens;
    this.sentenceStarts = starts;
    this.#hasEdges = hasEdges;
    this.#isPartial = isPartial;
    this.#isWeighted = isWeighted;
    this.#hasCandidates = hasCandidates;
  }

  get passEnd(): number | undefined {
    return this.sentences.at(-1)?.passEnd;
  }

  get stateStarts(): Uint32Array {
    return this.#stateOf().starts;
  }

  get stateRows(): Uint32Array {
    return this.#stateOf().rows;
  }

  get stateValues(): Float64Array | undefined {
    return this.#stateOf().values;
  }

  get edgeStarts(): Uint32Array | undefined {
    return this.#edgesOf()?.starts;
  }

  get edgeRows(): Uint32Array | undefined {
    return this.#edgesOf()?.rows;
  }

  get edgeValues(): Float64Array | undefined {
    return this.#edgesOf()?.values;
  }

  get positions(): Minibatch | undefined {
    if (this.#hasCandidates) this.#positions ??= new PositionMinibatch(this);
    return this.#positions;
  }

  get gold(): Int32Array {
    if (this.#gold !== undefined) return this.#gold;
    const gold = new Int32Array(this.tokens).fill(-1);
    for (let s = 0; s < this.sentences.length; s += 1) {
      const labels = this.sentences[s]!.gold;
      if (labels !== undefined) gold.set(labels, this.sentenceStarts[s]!);
    }
    this.#gold = gold;
    return gold;
  }

  get labelled(): Uint8Array {
    this.#labelled ??= Uint8Array.from(this.sentences, sentence => (isKnown(sentence) ? 1 : 0));
    return this.#labelled;
  }

  get allowedStarts(): Uint32Array | undefined {
    return this.#allowedOf()?.starts;
  }

  get allowedLabels(): Uint32Array | undefined {
    return this.#allowedOf()?.rows;
  }

  get weights(): Float64Array | undefined {
    if (this.#isWeighted) {
      this.#weights ??= Float64Array.from(this.sentences, ({ weight = 1 }) => weight);
    }
    return this.#weights;
  }

  #allowedOf(): PackedRows | undefined {
    if (this.#isPartial) this.#allowed ??= packRows(this.sentences, allowedRowsOf);
    return this.#allowed;
  }

  #stateOf(): PackedRows {
    this.#state ??= lateRowsOf(this.sentences) ?? packRows(this.sentences, tokenRowsOf);
    return this.#state;
  }

  #edgesOf(): PackedRows | undefined {
    if (this.#hasEdges) this.#edges ??= packRows(this.sentences, edgeRowsOf);
    return this.#edges;
  }
}

/** Returns the rows of sentences that are found together; undefined unless all have the same owner. */
function lateRowsOf(sentences: readonly EncodedSentence[]): PackedRows | undefined {
  const first = sentences[0]?.late;
  if (first === undefined) return undefined;
  const all: LateRows[] = [];
  for (const sentence of sentences) {
    const { late } = sentence;
    if (late?.owner !== first.owner || late.holder !== sentence) return undefined;
    all.push(late);
  }
  return first.pack(all);
}
