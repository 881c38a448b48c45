import type { EncodedSentence } from './encoded-sentence.js';

/**
 * Sentences packed one after the other, so that kernels run over flat memory.
 *
 * Sentence `s` has the tokens `[sentenceStarts[s], sentenceStarts[s + 1])`; `stateStarts` and
 * `edgeStarts` run over all tokens of the batch. Tokens of unlabelled sentences have gold label -1.
 */
export interface Minibatch {
  readonly sentences: readonly EncodedSentence[];
  /** Number of tokens in all. */
  readonly tokens: number;
  readonly sentenceStarts: Uint32Array;
  readonly stateStarts: Uint32Array;
  readonly stateRows: Uint32Array;
  readonly stateValues?: Float64Array;
  readonly edgeStarts?: Uint32Array;
  readonly edgeRows?: Uint32Array;
  readonly edgeValues?: Float64Array;
  readonly gold: Int32Array;
  /** 1 where a sentence has gold labels, all of them known, else 0. */
  readonly labelled: Uint8Array;
  readonly passEnd?: number;
}
