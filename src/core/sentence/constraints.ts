/** What is asked of one token's label: to be one of these, or none of those. */
export type TokenConstraint = readonly string[] | { readonly not: readonly string[] };

/**
 * What is asked of the labels of a record or sentence, by number of the token, from 0: tokens that are
 * not named are free.
 */
export type Constraints = Readonly<Record<string, TokenConstraint>>;
