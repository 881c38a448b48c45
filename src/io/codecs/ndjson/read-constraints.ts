import type { Constraints, TokenConstraint } from '../../../core/sentence/constraints.js';
import { readStrings, wrongShape } from './record-shapes.js';

/**
 * The constraints of a record: an object of token numbers, each with a list of labels that the token may
 * have, or `{ "not": [...] }`. Whether there are such tokens and labels is for others to find out.
 *
 * @throws TagstreamError `wrong-shape`
 * @example
 * readConstraints({ 3: ['B-PER'], 5: { not: ['O'] } }) // => ({ 3: ['B-PER'], 5: { not: ['O'] } })
 */
export function readConstraints(value: unknown): Constraints {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongShape('constraints', 'an object of labels by token number', value);
  }
  const constraints: Record<string, TokenConstraint> = {};
  for (const [key, constraint] of Object.entries(value)) {
    if (!/^(0|[1-9]\d*)$/.test(key)) {
      throw wrongShape('a key of constraints', 'the number of a token, from 0', key);
    }
    constraints[key] = readConstraint(`constraints.${key}`, constraint);
  }
  return constraints;
}

function readConstraint(field: string, value: unknown): TokenConstraint {
  if (Array.isArray(value)) return readLabels(field, value);
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length !== 1 || keys[0] !== 'not') {
    throw wrongShape(field, 'a list of labels, or {"not": [...]}', value);
  }
  return { not: readLabels(`${field}.not`, (value as { readonly not: unknown }).not) };
}

function readLabels(field: string, value: unknown): readonly string[] {
  const labels = readStrings(field, value);
  if (labels.length === 0) throw wrongShape(field, 'at least one label', value);
  return labels;
}
