import type { Quantity } from '../measures/quantities.js';
import type { Summary } from '../study-results.js';

/**
 * A number with thousands apart and so many digits after the point; a minus, not a plus, has its sign.
 *
 * @example
 * figure(12887.218, 1) // => '12,887.2'
 */
export function figure(value: number, digits: number): string {
  const text = value.toLocaleString('en', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return /[1-9]/.test(text) ? text : text.replace('-', '');
}

/** Digits after the point of a mean. */
export function digitsOfMean({ digits }: Quantity, { deviation }: Summary): number {
  return deviation === undefined || deviation === 0 ? digits : Math.max(1, digits);
}

/** A mean and its deviation where there is one, as in `93.61 ± 0.04`. Means of counts that differ have a digit more. */
export function figureOf(quantity: Quantity, summary: Summary | undefined): string {
  if (summary === undefined) return '';
  const { mean, deviation } = summary;
  const digits = digitsOfMean(quantity, summary);
  if (deviation === undefined || deviation === 0) return figure(mean, digits);
  return `${figure(mean, digits)} ± ${figure(deviation, digits)}`;
}
