import { TagstreamError } from '../../core/errors.js';

/**
 * Reads the value of a numeric option.
 *
 * @returns a function that leaves undefined as it is, and throws TagstreamError `usage` unless the text is a whole number from `least`
 * @example
 * wholeNumber('seed', 0)('12') // => 12
 */
export function wholeNumber(name: string, least: number): (text: unknown) => number | undefined {
  return text => {
    if (text === undefined) return undefined;
    const number = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(number) && number >= least) return number;
    throw new TagstreamError('usage', `--${name} ${String(text)} is not an allowed number`, {
      fix: `give one whole number of at least ${least}`,
    });
  };
}
