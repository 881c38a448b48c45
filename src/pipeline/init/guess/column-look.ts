import { detectScheme, tagFormOf } from '../../../text/tags/detect-scheme.js';
import { type TagForm, tagReader } from '../../../text/tags/tag-form.js';
import { isPhraseTag } from './phrase-tag.js';

/**
 * What the values of a column are like.
 *
 * `empty`: `_` alone; `index`: numbers that count tokens; `constant`: one value; `spans`: B-, I-, O;
 * `upos`: universal parts of speech; `closed`: few values, as labels are; `open`: many, as words are.
 */
export type ColumnKind = 'empty' | 'index' | 'constant' | 'spans' | 'upos' | 'closed' | 'open';

/** A column of a labelled file, as far as it was read. */
export interface ColumnLook {
  readonly kind: ColumnKind;
  /** Different values, the most frequent first. */
  readonly values: readonly string[];
  /** The spans are phrases: noun phrases and the like. */
  readonly phrases: boolean;
  /** How tags of spans are written, where that is not `B-X`. */
  readonly form?: TagForm | undefined;
}

const universal = new Set(
  'ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X _'.split(' '),
);

/**
 * Looks at the values of a column in the order of the file.
 *
 * @example
 * lookAtColumn(['B-NP', 'I-NP', 'O']).kind // => 'spans'
 * lookAtColumn(['1', '2', '3', '1', '2']).kind // => 'index'
 * lookAtColumn(['NOUN', 'VERB', 'NOUN']) // => ({ kind: 'upos', values: ['NOUN', 'VERB'], phrases: false })
 */
export function lookAtColumn(rows: readonly string[]): ColumnLook {
  const counts = new Map<string, number>();
  for (const value of rows) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
  const form = tagFormOf(values);
  const read = form === undefined ? undefined : tagReader(form);
  const kind = read === undefined ? kindOf(values, rows) : 'spans';
  const tags = read === undefined ? values : values.map(read);
  const own = form === undefined ? {} : { form };
  return { kind, values, phrases: kind === 'spans' && tags.some(isPhraseTag), ...own };
}

function kindOf(values: readonly string[], rows: readonly string[]): ColumnKind {
  if (values.every(value => value === '_')) return 'empty';
  if (values.length === 1) return 'constant';
  if (detectScheme(values) !== 'none') return 'spans';
  if (values.every(value => universal.has(value))) return 'upos';
  if (counts(values, rows)) return 'index';
  // Labels are few, and each is seen again and again; of words in much text one in some twenty is new.
  const most = Math.max(20, Math.min(500, rows.length / 5), rows.length / 40);
  return values.length <= most ? 'closed' : 'open';
}

/** Each number is one more than that before it, or the first of a sentence. */
function counts(values: readonly string[], rows: readonly string[]): boolean {
  if (values.length < 3 || !values.every(value => /^\d+$/.test(value))) return false;
  const first = Number(rows[0]);
  return rows.every((value, i) => {
    const number = Number(value);
    return number === first || (i > 0 && number === Number(rows[i - 1]) + 1);
  });
}
