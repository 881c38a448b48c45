import { TagstreamError } from '../errors.js';

/**
 * The token that a key of constraints names, of a record or sentence of `length` tokens.
 *
 * @throws TagstreamError `constraint` where it names none
 * @example
 * constrainedToken('2', 3) // => 2
 */
export function constrainedToken(key: string, length: number): number {
  const token = Number(key);
  // No other spelling of a number: two keys would mean one token.
  if (Number.isInteger(token) && token >= 0 && token < length && String(token) === key) {
    return token;
  }
  throw new TagstreamError('constraint', `a constraint on token ${key} of ${length}`, {
    fix: 'tokens are numbered from 0',
  });
}
