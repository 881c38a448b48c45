import type { Sentence } from '../sentence/sentence.js';

/**
 * Linked token pairs of a sentence: `from[k]` with `to[k]`, in any order, never a token with
 * itself.
 */
export interface TokenLinks {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /**
   * Links of three or more tokens. A link of k tokens has labels^(k - 2) candidates after those of
   * the pairs: label-by-label matrices of its last two tokens, indexed by the labels of the other
   * tokens, the last varying fastest.
   */
  readonly cliques?: { readonly nodes: readonly (readonly number[])[]; readonly labels: number };
}

/**
 * The features of a sentence, as rows of the parameter store, in compressed rows by token.
 *
 * The state features of token `t` are `stateRows[stateStarts[t] .. stateStarts[t + 1])`; the edge features (those that
 * condition the transition from `t - 1` to `t`) likewise. `values` are the features' real values; absent means that all
 * are 1.
 *
 * For a model that scores spans, `candidates` more rows follow those of the tokens: the spans that
 * end at token 0, from one token to the longest, then those that end at token 1, and so on. For a
 * graph, the candidates are its links, which have no state features, and whose types are edge
 * features.
 */
export interface EncodedSentence {
  /** Number of tokens. */
  readonly length: number;
  readonly stateStarts: Uint32Array;
  /**
   * Number of segment candidates, whose features follow those of the tokens; absent if there are
   * none.
   */
  readonly candidates?: number;
  /** Linked tokens, with one candidate per pair. */
  readonly links?: TokenLinks;
  readonly stateRows: Uint32Array;
  /** Set if the rows are found on demand, which is faster for many sentences at a time. */
  readonly late?: LateRows | undefined;
  readonly stateValues?: Float64Array;
  /**
   * Template number of each entry of `stateRows`; set for labelled sentences of models whose
   * parameters are tables.
   */
  readonly stateTemplates?: Uint32Array;
  readonly edgeStarts?: Uint32Array;
  readonly edgeRows?: Uint32Array;
  readonly edgeValues?: Float64Array;
  /**
   * Gold label of each token, -1 if the label is unknown to the model. Absent for an unlabelled
   * sentence.
   */
  readonly gold?: Int32Array;
  /** Labels allowed for each token of a partially labelled sentence, which has no `gold`. */
  readonly allowed?: AllowedLabels;
  /** Weight of the sentence in training; default: 1. */
  readonly weight?: number;
  readonly sentence: Sentence;
  /** Index of the sentence in the corpus, from 0. */
  readonly number?: number;
  /**
   * Number of the pass that the sentence ends, from 1; set on the last sentence of a pass over a
   * corpus.
   */
  readonly passEnd?: number | undefined;
}

/** State features of a sentence whose rows are not found before they are needed. */
export interface LateRows {
  /** The encoded sentence with these rows; a copy of it may have others. */
  readonly holder: EncodedSentence | undefined;
  /** Identifies the rows that can be found together. */
  readonly owner: object;
  /** Returns the rows of sentences with the same owner, as new arrays. */
  pack(sentences: readonly LateRows[]): {
    readonly starts: Uint32Array;
    readonly rows: Uint32Array;
  };
}

/**
 * Labels allowed for each token of a sentence, in compressed rows: those of token `t` are
 * `labels[starts[t] .. starts[t + 1])`; an empty row allows all labels. No row contains a label
 * twice.
 */
export interface AllowedLabels {
  readonly starts: Uint32Array;
  readonly labels: Uint32Array;
}

/** Returns whether all gold labels are known or the sentence is partially labelled. */
export function isKnown({ gold, allowed }: EncodedSentence): boolean {
  return allowed !== undefined || (gold !== undefined && !gold.includes(-1));
}

/** Returns whether a sentence has gold labels, or some of them, to learn from. */
export function isLabelled({ gold, allowed }: EncodedSentence): boolean {
  return gold !== undefined || allowed !== undefined;
}
