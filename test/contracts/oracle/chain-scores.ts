/**
 * The scores of one sentence as plain nested arrays: `emissions[t][y]`, and `transitions[t][from][to]`
 * from token `t - 1` to token `t`; `transitions[0]` is there to keep the numbering, and is never read.
 */
export interface ChainScores {
  readonly emissions: readonly (readonly number[])[];
  readonly transitions: readonly (readonly (readonly number[])[])[];
}
