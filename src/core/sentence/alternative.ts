/** One of the best tag sequences of a sentence. */
export interface Alternative {
  readonly tags: readonly string[];
  /** Sum of emission and transition scores. */
  readonly score: number;
  /** p(y | x) of the whole sequence, among the sequences that the decoder allows. */
  readonly probability: number;
}
