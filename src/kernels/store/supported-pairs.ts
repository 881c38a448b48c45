/** Which pairs of a state feature and a label there are. */
export interface SupportedPairs {
  readonly labels: number;
  /** Lanes in a row of `support`. */
  readonly width: number;
  readonly stateRows: number;
  /** A byte for each pair and plain transition that may have a weight; absent where all may. */
  readonly support: { readonly state: Uint8Array; readonly transitions: Uint8Array } | undefined;
}
