/**
 * Labels that are pairs of two layers, such as a part of speech and a chunk: label `p` is of the columns `first[p]` and
 * `second[p]` of the parameters. Lists grow as labels are met.
 */
export interface LayerPairs {
  readonly first: readonly number[];
  readonly second: readonly number[];
}
