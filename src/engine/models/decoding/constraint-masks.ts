import { TagstreamError } from '../../core/errors.js';
import {
  type Constraints,
  constrainedToken,
  type TokenConstraint,
} from '../../core/sentence/document.js';
import type { LabelSet } from '../labels/label-set.js';

/** A token of a sentence, and a mask with 1 for each label that it may have. */
export interface TokenMask {
  readonly token: number;
  readonly allowed: Uint8Array;
}

/**
 * Returns the labels that a sentence's constraints allow, token by token.
 *
 * @throws TagstreamError `constraint` if a token is not one of the `length` tokens, or has no label left,
 * or a constraint is not a list of labels
 * @example
 * const labels = new LabelSet(['O', 'B-X', 'I-X']);
 * constraintMasks({ 1: { not: ['O'] } }, 2, labels) // => [{ token: 1, allowed: Uint8Array.of(0, 1, 1) }]
 */
export function constraintMasks(
  constraints: Constraints,
  length: number,
  labels: LabelSet,
): TokenMask[] {
  return Object.entries(constraints).map(([key, constraint]) => {
    const token = constrainedToken(key, length);
    return { token, allowed: allowedBy(key, constraint, labels) };
  });
}

type Exclusion = Extract<TokenConstraint, { readonly not: unknown }>;

function allowedBy(key: string, constraint: TokenConstraint, labels: LabelSet): Uint8Array {
  const excludes = !Array.isArray(constraint);
  // Untyped callers may pass anything.
  const named: unknown = excludes ? (constraint as Exclusion | null)?.not : constraint;
  if (!Array.isArray(named)) {
    throw new TagstreamError(
      'constraint',
      `the constraint on token ${key} is not a list of labels`,
      {
        fix: "give ['A', 'B'], or { not: ['A'] }",
      },
    );
  }
  const allowed = new Uint8Array(labels.size).fill(excludes ? 1 : 0);
  for (const name of named) {
    for (const y of labels.numbersOf(name)) {
      allowed.fill(excludes ? 0 : 1, y, y + labels.states);
    }
  }
  if (allowed.includes(1)) return allowed;
  const what = excludes ? 'forbids every label' : 'allows no label that the model has';
  throw new TagstreamError('constraint', `the constraint on token ${key} ${what}`, {
    fix: `the labels are ${labels.tags.slice(0, 5).join(', ')}, ...`,
  });
}
