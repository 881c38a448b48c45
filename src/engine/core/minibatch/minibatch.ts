import type { EncodedSentence } from './encoded-sentence.js';

/**
 * Contiguously packed sentences, so that kernels work on flat memory.
 *
 * Sentence `s` has the tokens `[sentenceStarts[s], sentenceStarts[s + 1])`; `stateStarts` and
 * `edgeStarts` run over all tokens of the batch. The tokens of unlabelled and of partially labelled
 * sentences all have the gold label -1.
 */
export interface Minibatch {
  readonly sentences: readonly EncodedSentence[];
  /** Total number of tokens. */
  readonly tokens: number;
  readonly sentenceStarts: Uint32Array;
  readonly stateStarts: Uint32Array;
  readonly stateRows: Uint32Array;
  readonly stateValues?: Float64Array | undefined;
  readonly edgeStarts?: Uint32Array | undefined;
  readonly edgeRows?: Uint32Array | undefined;
  readonly edgeValues?: Float64Array | undefined;
  readonly gold: Int32Array;
  /** 1 for fully or partially labelled sentences, otherwise 0. */
  readonly labelled: Uint8Array;
  /**
   * Labels allowed for each token, in compressed rows: see `AllowedLabels`. Absent if all are
   * allowed.
   */
  readonly allowedStarts?: Uint32Array | undefined;
  readonly allowedLabels?: Uint32Array | undefined;
  /**
   * `[tokens]` the only possible label of each token that is known in advance when decoding; -1 for the others. Absent if no
   * label is known.
   */
  readonly fixed?: Int32Array | undefined;
  /** Weight of each sentence; absent if all weights are 1. */
  readonly weights?: Float64Array | undefined;
  readonly passEnd?: number | undefined;
  /** Tokens and segment candidates as positions; absent if no sentence has candidates. */
  readonly positions?: Minibatch | undefined;
  /**
   * For a minibatch of positions: the position at which the tokens of each sentence end and its
   * candidates begin.
   */
  readonly tokenEnds?: Uint32Array | undefined;
  /** Location of the state features in a kernel's memory, as part of a whole corpus. */
  readonly placed?: PlacedRows;
  /** Location of the state features in the memory of a compact store. */
  readonly compact?: CompactFeatures | undefined;
}

/**
 * Location of a minibatch's state features as part of a corpus, in the memory of its parameters.
 */
export interface PlacedRows {
  /**
   * Addresses of the corpus's `stateStarts`, `stateRows` and `stateValues` (0 if all values are 1).
   */
  readonly starts: number;
  readonly rows: number;
  readonly values: number;
  /** Corpus index of each sentence's first token. */
  readonly firstTokens: Uint32Array;
  /** `stateStarts` of the corpus. */
  readonly stateStarts: Uint32Array;
}

/** Addresses of a corpus's state features, in compressed rows by token. */
export interface CompactFeatures {
  /** Features with a dense row, by row number. */
  readonly dense: FeaturePlaces;
  /**
   * Feature-label pairs of all other features: their numbers, and at `labels` each pair's 16-bit
   * label. The transitions of more labels would not fit into memory.
   */
  readonly pairs: FeaturePlaces & { readonly labels: number };
  /**
   * Offset of each sentence's rows, in token rows. A minibatch of tokens and its minibatch of
   * positions share them: candidates follow the tokens of their sentence, and only the second reads
   * them.
   */
  readonly firstRows: Uint32Array;
}

/** Addresses of compressed rows by token; `values` is 0 if all values are 1. */
export interface FeaturePlaces {
  readonly starts: number;
  readonly rows: number;
  readonly values: number;
}
