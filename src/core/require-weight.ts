import { TagstreamError } from './errors.js';

/** More would only make the first such sentence overflow what is learned from all others. */
const most = 1e6;

/**
 * Makes sure that a sentence that is learned from can count so often.
 *
 * @throws TagstreamError `wrong-shape` if the weight is there and is not a number from 0 to a million
 */
export function requireWeight(weight: number | undefined): void {
  if (weight === undefined || (weight >= 0 && weight <= most)) return;
  const found = Number.isNaN(weight) ? 'not a number' : String(weight);
  throw new TagstreamError('wrong-shape', `the weight of a labelled record is ${found}`, {
    fix: `give a number from 0 to ${most}, or leave weight out to count once`,
  });
}
