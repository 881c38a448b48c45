import { isBlankLabel } from '../../../../engine/core/sentence/partial-tag.js';
import { grouped } from '../../../../engine/core/wording/numbers.js';
import { detectScheme, tagFormOf } from '../../../../engine/text/tags/detect-scheme.js';
import { formOptions, type TagForm, tagReader } from '../../../../engine/text/tags/tag-form.js';
import { visible } from '../../../../engine/text/visible.js';
import type { Codec } from '../../../../formats/codecs/codec.js';
import { universalTags } from '../../../../formats/codecs/conllu/result-place.js';
import type { Task } from '../../training/recipe.js';

/**
 * The kind of values in a column.
 *
 * `empty`: only `_`; `index`: consecutive token numbers; `constant`: one value; `spans`: B-, I-, O; `upos`: universal
 * parts of speech; `closed`: few values, like labels; `open`: many, like words.
 */
export type ColumnKind = 'empty' | 'index' | 'constant' | 'spans' | 'upos' | 'closed' | 'open';

/** A column of a labelled file, as far as read. */
export interface ColumnLook {
  readonly kind: ColumnKind;
  /** Distinct values, the most frequent first. */
  readonly values: readonly string[];
  /** Whether the spans are phrases, such as noun phrases. */
  readonly phrases: boolean;
  /** Notation of span tags, if not `B-X`. */
  readonly form?: TagForm | undefined;
}

/**
 * Examines the values of a column, in file order.
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
  // An empty cell is a mistake, which the codec reports; it does not change what the column holds.
  const labels = values.filter(value => !isBlankLabel(value));
  const form = tagFormOf(labels);
  const read = form === undefined ? undefined : tagReader(form);
  const kind = read === undefined ? kindOf(labels, rows) : 'spans';
  const tags = read === undefined ? labels : labels.map(read);
  const own = form === undefined ? {} : { form };
  return { kind, values, phrases: kind === 'spans' && tags.some(isPhraseTag), ...own };
}

function kindOf(values: readonly string[], rows: readonly string[]): ColumnKind {
  if (values.every(value => value === '_')) return 'empty';
  if (values.length === 1) return 'constant';
  if (detectScheme(values) !== 'none') return 'spans';
  if (values.every(value => universalTags.has(value) || value === '_')) return 'upos';
  if (counts(values, rows)) return 'index';
  // Labels are few and recur; in long texts, about one word in twenty is new.
  const most = Math.max(20, Math.min(500, rows.length / 5), rows.length / 40);
  return values.length <= most ? 'closed' : 'open';
}

/** Returns whether each number is one more than the previous number, or is the first of a sentence. */
function counts(values: readonly string[], rows: readonly string[]): boolean {
  if (values.length < 3 || !values.every(value => /^\d+$/.test(value))) return false;
  const first = Number(rows[0]);
  return rows.every((value, i) => {
    const number = Number(value);
    return number === first || (i > 0 && number === Number(rows[i - 1]) + 1);
  });
}

const phrase = /^[BIESLUMW]-(?:NP|VP|PP|ADJP|ADVP|SBAR|NX|VX|NC|VC|PC)$/;

/**
 * Returns whether a tag marks a phrase, as in chunking corpora.
 *
 * @example
 * ['B-NP', 'B-PER', 'NP'].map(isPhraseTag) // => [true, false, false]
 */
export function isPhraseTag(tag: string): boolean {
  return phrase.test(tag);
}

/**
 * Describes the contents of a column in a few words.
 *
 * @param isCounted whether to add the number of values, which for tags is shown for the whole file
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
  const labels = values.filter(value => !isBlankLabel(value));
  const reading: Readonly<Partial<Record<typeof kind, string>>> = {
    spans: `reads as ${detectScheme(read === undefined ? labels : labels.map(read))}${form === undefined ? '' : `, with ${formOptions(form)}`}`,
    upos: 'universal parts of speech',
  };
  const said = [...count, ...(kind in reading ? [reading[kind]!] : [])];
  return [...(said.length > 0 ? [said.join(', ')] : []), some].join(' ');
}

/**
 * Ranks how much a column looks like the tags of a task: higher is more, 0 not at all.
 *
 * @example
 * tagRank({ kind: 'spans', values: ['O', 'B-NP'], phrases: true }) // => 3
 * tagRank({ kind: 'open', values: ['so', 'it', 'goes'], phrases: false }) // => 0
 */
export function tagRank({ kind, phrases }: ColumnLook, task?: Task): number {
  if (kind === 'open' || kind === 'index' || kind === 'empty') return 0;
  if (kind === 'constant') return 1;
  const spans = kind === 'spans';
  if (task === 'pos' && !spans) return 4;
  if (task === 'chunk' && spans) return phrases ? 5 : 4;
  if (task === 'ner' && spans) return phrases ? 4 : 5;
  return spans || kind === 'upos' ? 3 : 2;
}

/**
 * Returns the columns to make features from: the first with parts of speech, and the first with phrases.
 *
 * @example
 * const pos = { kind: 'closed', values: ['DT', 'NN'], phrases: false };
 * featureColumns(new Map([['pos', pos], ['xpos', pos]])) // => [{ name: 'pos', holds: 'pos' }]
 */
export function featureColumns(looks: ReadonlyMap<string, ColumnLook>): FeatureColumn[] {
  const all = [...looks];
  const pos = all.find(([, { kind }]) => kind === 'closed' || kind === 'upos')?.[0];
  const chunk = all.find(([, { phrases }]) => phrases)?.[0];
  return [
    ...(pos === undefined ? [] : [{ name: pos, holds: 'pos' as const }]),
    ...(chunk === undefined ? [] : [{ name: chunk, holds: 'chunk' as const }]),
  ];
}

/** Hints about a labelled file, given before it is examined. */
export interface Hints {
  readonly task?: Task | undefined;
  /** Names of the columns of a CoNLL file. */
  readonly columns?: readonly string[] | undefined;
  /** The column of the tags: a name in NDJSON and CoNLL-U, else a number from 1. */
  readonly tag?: string | undefined;
  /** Names for tags that are numbers, starting from 0. */
  readonly labels?: readonly string[] | undefined;
  /** Returns the names that the file itself gives for the numbers of a field. */
  readonly namesOf?: ((field: string) => readonly string[] | undefined) | undefined;
}

/** A further column that can be used for features. */
export interface FeatureColumn {
  readonly name: string;
  readonly holds: 'pos' | 'chunk';
}

/** The assumed format and contents of a labelled file. */
export interface Guess {
  readonly format: Codec['name'];
  /** Options of the source, in the form of a pipeline file. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Informative columns other than the tokens that occur in every record. */
  readonly columns: readonly FeatureColumn[];
  /** Findings and the assumptions made from them, one line each. */
  readonly reasons: readonly string[];
  /** Possible problems with the file, one line each. */
  readonly warnings: readonly string[];
}
