import { TagstreamError } from '../../core/errors.js';

/**
 * The numbers of `--weights`.
 *
 * @throws TagstreamError `usage` where one of them is no number
 * @example
 * parsedWeights('0.5, 1') // => [0.5, 1]
 */
export function parsedWeights(text: string): number[] {
  return text.split(',').map(part => {
    const number = part.trim() === '' ? Number.NaN : Number(part);
    if (Number.isFinite(number)) return number;
    throw new TagstreamError('usage', `--weights ${text}: "${part.trim()}" is not a number`, {
      fix: 'give a number for each model, such as 0.5,0.5',
    });
  });
}
