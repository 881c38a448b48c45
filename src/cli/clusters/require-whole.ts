import { TagstreamError } from '../../core/errors.js';

/** @throws TagstreamError `usage` unless the value of an option is a whole number in a range */
export function requireWhole(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TagstreamError('usage', `${option} is ${value}`, {
    fix: `give a whole number ${most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`}`,
  });
}
