/** A labelled stretch of tokens `[start, end)`. */
export interface Span {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}
