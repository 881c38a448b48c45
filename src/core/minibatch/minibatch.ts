import type { EncodedSentence } from './encoded-sentence.js';

/**
 * Sentences packed contiguously, so that kernels work on flat memory.
 *
 * Sentence `s` has the tokens `[sentenceStarts[s], sentenceStarts[s + 1])`; `stateStarts` and
 * `edgeStarts` run over all tokens of the batch. Tokens of unlabelled sentences have gold label -1,
 * and so have all tokens of a partially labelled sentence.
 */
export interface Minibatch {
  readonly sentences: readonly EncodedSentence[];
  /** Number of tokens in all. */
  readonly tokens: number;
  readonly sentenceStarts: Uint32Array;
  readonly stateStarts: Uint32Array;
  readonly stateRows: Uint32Array;
  readonly stateValues?: Float64Array | undefined;
  readonly edgeStarts?: Uint32Array | undefined;
  readonly edgeRows?: Uint32Array | undefined;
  readonly edgeValues?: Float64Array | undefined;
  readonly gold: Int32Array;
  /** 1 for sentences that are fully or partially labelled, else 0. */
  readonly labelled: Uint8Array;
  /** Labels that each token may have, in compressed rows: see `AllowedLabels`. Absent where all may. */
  readonly allowedStarts?: Uint32Array | undefined;
  readonly allowedLabels?: Uint32Array | undefined;
  /** The weight of each sentence; absent if all weights are 1. */
  readonly weights?: Float64Array | undefined;
  readonly passEnd?: number | undefined;
  /** Its tokens and candidates of segments as positions; absent where no sentence has candidates. */
  readonly positions?: Minibatch | undefined;
  /** For a minibatch of positions: where the tokens of each sentence end and its candidates begin. */
  readonly tokenEnds?: Uint32Array | undefined;
  /** Set if its state features already lie in a kernel's memory, as part of a whole corpus. */
  readonly placed?: PlacedRows;
  /** Set if its state features lie in the memory of a compact store. */
  readonly compact?: CompactFeatures | undefined;
}

/** Where the state features of a minibatch lie as part of a corpus, in the memory of its parameters. */
export interface PlacedRows {
  /** Addresses of the corpus's `stateStarts`, `stateRows` and `stateValues` (0: all are 1). */
  readonly starts: number;
  readonly rows: number;
  readonly values: number;
  /** Corpus index of each sentence's first token. */
  readonly firstTokens: Uint32Array;
  /** `stateStarts` of the corpus. */
  readonly stateStarts: Uint32Array;
}

/** Where the state features of a corpus lie, in compressed rows by token, as addresses. */
export interface CompactFeatures {
  /** Features with a dense row, by the number of the row. */
  readonly dense: FeaturePlaces;
  /**
   * Pairs of all other features: their numbers, and at `labels` the label of each in 16 bits; the transitions of
   * more labels would not fit into memory.
   */
  readonly pairs: FeaturePlaces & { readonly labels: number };
  /**
   * Where the rows of each sentence begin, counted in rows of tokens. A minibatch of tokens and its minibatch of positions
   * share them: candidates follow the tokens of their sentence, and only the second reads them.
   */
  readonly firstRows: Uint32Array;
}

/** Addresses of compressed rows by token; `values` is 0 where all are 1. */
export interface FeaturePlaces {
  readonly starts: number;
  readonly rows: number;
  readonly values: number;
}
