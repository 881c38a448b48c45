/** Names of scorers, which fill the potentials of a structure; see `Scorer`. */
export type ScorerName = 'linear' | 'memm' | 'hmm' | 'trees' | 'support-vectors';

/**
 * The role of a template in a model whose weights are tables of counts, that is, a hidden Markov model.
 *
 * - `constant`: active at every token; counts labels.
 * - `first`: active at the first token of a sentence; counts the first labels of sentences.
 * - `class`: the word of one column, or its word class. The templates of a column form a chain,
 *   ordered from the most to the least specific.
 * - `value`, `square`: a number and its square, whose sums give the mean and the variance of a Gaussian density.
 * - `product`: the product of the numbers of two columns, whose sum gives their covariance.
 */
export type TableRole =
  | { readonly kind: 'constant' | 'first' }
  | { readonly kind: 'class' | 'value' | 'square'; readonly column: string }
  | { readonly kind: 'product'; readonly column: string; readonly other: string };
