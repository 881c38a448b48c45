import { grouped } from '../../../core/wording/grouped.js';
import { detectScheme } from '../../../text/tags/detect-scheme.js';
import { formOptions, tagReader } from '../../../text/tags/tag-form.js';
import { visible } from '../../../text/visible.js';
import type { ColumnLook } from './column-look.js';

/**
 * What a column holds, in a few words.
 *
 * @param isCounted whether they say how many values there are: of tags that is said of the whole file
 * @example
 * shownValues({ kind: 'spans', values: ['O', 'B-NP'], phrases: true }) // => '2 values, reads as BIO (O, B-NP)'
 * shownValues({ kind: 'closed', values: ['NN', ''], phrases: false }, false) // => '(NN, "")'
 */
export function shownValues({ kind, values, form }: ColumnLook, isCounted = true): string {
  const read = form === undefined ? undefined : tagReader(form);
  const first = values
    .slice(0, 5)
    .map(value => value || '""')
    .map(value => (value.length > 20 ? `${value.slice(0, 20)}...` : value));
  const some = `(${visible(first.join(', '))}${values.length > 5 ? ', ...' : ''})`;
  if (kind === 'empty') return 'nothing but _';
  if (kind === 'index') return 'counts the tokens';
  if (kind === 'constant') return `one value ${some}`;
  const count = isCounted ? [`${grouped(values.length)} values`] : [];
  const reading: Readonly<Partial<Record<typeof kind, string>>> = {
    spans: `reads as ${detectScheme(read === undefined ? values : values.map(read))}${form === undefined ? '' : `, with ${formOptions(form)}`}`,
    upos: 'universal parts of speech',
  };
  const said = [...count, ...(kind in reading ? [reading[kind]!] : [])];
  return [...(said.length > 0 ? [said.join(', ')] : []), some].join(' ');
}
