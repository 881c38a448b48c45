/** The names of scorers, which fill the potentials of a structure; see `Scorer`. */
export type ScorerName = 'linear' | 'memm' | 'hmm' | 'trees' | 'support-vectors';

/**
 * The role of a template in a model whose weights are tables of counts, that is, a hidden Markov model.
 *
 * - `constant`: active at every token; counts labels.
 * - `first`: active at the first token of a sentence; counts the labels that sentences begin with.
 * - `class`: the word, or a class of words, of one column. Templates of one column form a chain, in their order from
 *   the most specific to the least.
 * - `value`, `square`: a number and its square, whose sums give the mean and the variance of a Gaussian density.
 * - `product`: that of the numbers of two columns, whose sums give their covariance.
 */
export type TableRole =
  | { readonly kind: 'constant' | 'first' }
  | { readonly kind: 'class' | 'value' | 'square'; readonly column: string }
  | { readonly kind: 'product'; readonly column: string; readonly other: string };
