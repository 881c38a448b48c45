import { kinds, requireArgument } from '../schema/require-argument.js';
import { type EncodedSentence, isKnown } from './encoded-sentence.js';
import type { Minibatch } from './minibatch.js';
import { PackedMinibatch } from './packed-minibatch.js';
import { edgeRowsOf, tokenRowsOf } from './packed-rows.js';
import { PositionMinibatch } from './position-minibatch.js';

/**
 * Packs encoded sentences contiguously. A single sentence is not copied.
 *
 * A sentence counts as labelled if each of its tokens has a gold label that the model knows, or if
 * it is partially labelled.
 */
export function packMinibatch(sentences: readonly EncodedSentence[]): Minibatch {
  requireArgument('packMinibatch: the sentences', sentences, kinds.list);
  if (sentences.length === 1) return new SentenceMinibatch(sentences[0]!);
  return new PackedMinibatch(sentences);
}

/**
 * The minibatch of a single sentence. It shares the sentence's arrays and copies nothing, because
 * training sentence by sentence creates one minibatch per visit. The `sentences` array is only
 * created on access.
 */
export class SentenceMinibatch implements Minibatch {
  readonly tokens: number;
  readonly sentenceStarts: Uint32Array;
  readonly labelled: Uint8Array;
  readonly stateStarts: Uint32Array;
  readonly stateRows: Uint32Array;
  readonly stateValues: Float64Array | undefined;
  readonly edgeStarts: Uint32Array | undefined;
  readonly edgeRows: Uint32Array | undefined;
  readonly edgeValues: Float64Array | undefined;
  readonly weights: Float64Array | undefined;
  readonly #only: EncodedSentence;
  #gold: Int32Array | undefined;
  #sentences: readonly EncodedSentence[] | undefined;
  #positions: Minibatch | undefined;

  constructor(only: EncodedSentence) {
    this.#only = only;
    this.tokens = only.length;
    this.sentenceStarts = startsOfOne(only.length);
    this.labelled = isKnown(only) ? labelledOne : unlabelledOne;
    if (only.candidates === undefined) {
      this.stateStarts = only.stateStarts;
      this.stateRows = only.stateRows;
      this.stateValues = only.stateValues;
    } else {
      const { starts, rows, values } = tokenRowsOf(only);
      this.stateStarts = starts;
      this.stateRows = rows;
      this.stateValues = values;
    }
    if (only.edgeStarts !== undefined) {
      const { starts, rows, values } = edgeRowsOf(only);
      this.edgeStarts = starts;
      this.edgeRows = rows;
      this.edgeValues = values;
    }
    const { weight = 1 } = only;
    if (weight !== 1) this.weights = Float64Array.of(weight);
  }

  get sentences(): readonly EncodedSentence[] {
    this.#sentences ??= [this.#only];
    return this.#sentences;
  }

  get gold(): Int32Array {
    this.#gold ??= this.#only.gold ?? new Int32Array(this.tokens).fill(-1);
    return this.#gold;
  }

  get allowedStarts(): Uint32Array | undefined {
    return this.#only.allowed?.starts;
  }

  get allowedLabels(): Uint32Array | undefined {
    return this.#only.allowed?.labels;
  }

  get passEnd(): number | undefined {
    return this.#only.passEnd;
  }

  get positions(): Minibatch | undefined {
    if (this.#only.candidates === undefined) return undefined;
    this.#positions ??= new PositionMinibatch(this);
    return this.#positions;
  }
}

// Constants shared by all instances.
const labelledOne = Uint8Array.of(1);
const unlabelledOne = Uint8Array.of(0);
const mostKept = 512;
const kept: (Uint32Array | undefined)[] = new Array(mostKept + 1).fill(undefined);

function startsOfOne(tokens: number): Uint32Array {
  if (tokens > mostKept) return Uint32Array.of(0, tokens);
  kept[tokens] ??= Uint32Array.of(0, tokens);
  return kept[tokens];
}
