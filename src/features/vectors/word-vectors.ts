/** Words and a vector for each, as other programs learn them from text. */
export interface WordVectors {
  /** The words, the most frequent first where the file has them so; none twice. */
  readonly words: readonly string[];
  readonly dimensions: number;
  /** The vectors, one after the other. */
  readonly values: Float32Array;
}
