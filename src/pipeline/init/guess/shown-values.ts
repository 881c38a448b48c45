import { detectScheme } from '../../../text/tags/detect-scheme.js';
import { visible } from '../../../text/visible.js';
import type { ColumnLook } from './column-look.js';

/**
 * What a column holds, in a few words.
 *
 * @example
 * shownValues({ kind: 'spans', values: ['O', 'B-NP'], phrases: true }) // => '2 values, reads as BIO (O, B-NP)'
 */
export function shownValues({ kind, values }: ColumnLook): string {
  const count = values.length.toLocaleString('en');
  const first = values
    .slice(0, 5)
    .map(value => (value.length > 20 ? `${value.slice(0, 20)}...` : value));
  const some = `(${visible(first.join(', '))}${values.length > 5 ? ', ...' : ''})`;
  switch (kind) {
    case 'empty':
      return 'nothing but _';
    case 'index':
      return 'counts the tokens';
    case 'constant':
      return `one value ${some}`;
    case 'spans':
      return `${count} values, reads as ${detectScheme(values)} ${some}`;
    case 'upos':
      return `${count} values, universal parts of speech ${some}`;
    default:
      return `${count} values ${some}`;
  }
}
