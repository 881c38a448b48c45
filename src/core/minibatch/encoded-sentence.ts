import type { Sentence } from '../sentence/sentence.js';

/** Pairs of tokens of a sentence that are linked: `from[k]` with `to[k]`, in any order, never a token with itself. */
export interface TokenLinks {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /**
   * Links of three and more tokens. Each has labels^(k - 2) candidates after those of the pairs:
   * label-by-label squares of its last two tokens, indexed by the labels of the others, the last
   * varying fastest.
   */
  readonly cliques?: { readonly nodes: readonly (readonly number[])[]; readonly labels: number };
}

/**
 * The features of one sentence, as rows of the parameter store, in compressed rows by token.
 *
 * The state features of token `t` are `stateRows[stateStarts[t] .. stateStarts[t + 1])`; the edge features (those that
 * condition the transition from `t - 1` to `t`) likewise. `values` are the features' real values; absent means that all
 * are 1.
 *
 * For a model that scores spans, `candidates` more rows follow those of the tokens: the spans that end at token 0, from
 * one token to the longest, then those that end at token 1, and so on. For a graph the candidates are its links: they
 * have no state features, and their types are edge features.
 */
export interface EncodedSentence {
  /** Number of tokens. */
  readonly length: number;
  readonly stateStarts: Uint32Array;
  /** Number of segment candidates, whose features follow those of the tokens; none if absent. */
  readonly candidates?: number;
  /** Linked tokens, a candidate for each pair of them. */
  readonly links?: TokenLinks;
  readonly stateRows: Uint32Array;
  readonly stateValues?: Float64Array;
  /** The template number of each of `stateRows`; set for labelled sentences of models whose parameters are tables. */
  readonly stateTemplates?: Uint32Array;
  readonly edgeStarts?: Uint32Array;
  readonly edgeRows?: Uint32Array;
  readonly edgeValues?: Float64Array;
  /** Gold label of each token; -1 where the label is unknown to the model. Absent when unlabelled. */
  readonly gold?: Int32Array;
  /** For a partially labelled sentence, which has no `gold`: the labels each token may have. */
  readonly allowed?: AllowedLabels;
  /** The weight of the sentence in training; default: 1. */
  readonly weight?: number;
  readonly sentence: Sentence;
  /** Its index in the corpus, from 0. */
  readonly number?: number;
  /** Set on the last sentence of a pass over a corpus: the pass that it ends, from 1. */
  readonly passEnd?: number | undefined;
}

/**
 * The labels that each token of a sentence may have, in compressed rows: those of token `t` are
 * `labels[starts[t] .. starts[t + 1])`; an empty row allows all. No
 * row has a label twice.
 */
export interface AllowedLabels {
  readonly starts: Uint32Array;
  readonly labels: Uint32Array;
}

/** Whether all gold labels are known, or the sentence is partially labelled. */
export function isKnown({ gold, allowed }: EncodedSentence): boolean {
  return allowed !== undefined || (gold !== undefined && !gold.includes(-1));
}

/** Whether there is anything to learn from a sentence: it has gold labels, or some of them. */
export function isLabelled({ gold, allowed }: EncodedSentence): boolean {
  return gold !== undefined || allowed !== undefined;
}
