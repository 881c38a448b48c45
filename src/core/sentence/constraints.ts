/** A constraint on a token's label: one of these labels, or none of those. */
export type TokenConstraint = readonly string[] | { readonly not: readonly string[] };

/**
 * Constraints on the labels of a record or sentence, by token number from 0. Other tokens are unconstrained.
 */
export type Constraints = Readonly<Record<string, TokenConstraint>>;
