/** A labelled stretch of tokens `[start, end)`. */
export interface Span {
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** Probability that the tags mark just this stretch with this label; only where asked for. */
  readonly probability?: number;
}
