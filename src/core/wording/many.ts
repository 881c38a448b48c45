import { counted } from './counted.js';
import { grouped } from './grouped.js';

/**
 * A number that may be large with its noun.
 *
 * @example
 * many(1200, 'record') // => '1,200 records'
 */
export function many(count: number, noun: string): string {
  return counted(count, noun, grouped(count));
}
