import type { Codec } from '../../../io/codecs/codec.js';
import type { Task } from '../../training/recipe.js';
import type { ColumnLook } from './column-look.js';

/**
 * The columns that features are made of: the first of parts of speech, and the first of phrases.
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

/** What is known of a labelled file before it is looked at. */
export interface Hints {
  readonly task?: Task | undefined;
  /** Names of the columns of a CoNLL file. */
  readonly columns?: readonly string[] | undefined;
  /** The column of the tags: a name in NDJSON and CoNLL-U, a number from 1 in columns. */
  readonly tag?: string | undefined;
  /** Names of tags that are numbers, from 0. */
  readonly labels?: readonly string[] | undefined;
  /** Names of a field's numbers, as the file itself has them. */
  readonly namesOf?: ((field: string) => readonly string[] | undefined) | undefined;
}

/** A further column that features can be made of. */
export interface FeatureColumn {
  readonly name: string;
  readonly holds: 'pos' | 'chunk';
}

/** What a labelled file was taken for. */
export interface Guess {
  readonly format: Codec['name'];
  /** Options of the source, as a pipeline file has them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Columns beside the tokens that say something of them, in every record. */
  readonly columns: readonly FeatureColumn[];
  /** What was seen, and what it was taken for, a line each. */
  readonly reasons: readonly string[];
  /** What may be wrong with it, a line each. */
  readonly warnings: readonly string[];
}
