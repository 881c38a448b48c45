/**
 * The labels that each token of a sentence may have, in compressed rows: those of token `t` are
 * `labels[starts[t] .. starts[t + 1])`; an empty row allows all. No
 * row has a label twice.
 */
export interface AllowedLabels {
  readonly starts: Uint32Array;
  readonly labels: Uint32Array;
}
