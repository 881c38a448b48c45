import { TagstreamError } from '../../core/errors.js';

/**
 * Reads the value of an option that is one number or several.
 *
 * @returns a function that throws TagstreamError `usage` unless the text is whole numbers with commas between them
 * @example
 * wholeNumbers('classes')('100,1000') // => [100, 1000]
 */
export function wholeNumbers(name: string): (text: unknown) => readonly number[] {
  return text => {
    if (/^\d+(?:,\d+)*$/.test(String(text))) return String(text).split(',').map(Number);
    throw new TagstreamError('usage', `--${name} ${String(text)} is not an allowed number`, {
      fix: 'give one whole number, or several with commas between them and no blanks',
    });
  };
}
