/** What fills the potentials of a model's structure; see `Scorer`. */
export type ScorerName = 'linear' | 'memm' | 'hmm' | 'trees' | 'support-vectors';
