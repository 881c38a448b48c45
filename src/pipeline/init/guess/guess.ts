import type { Codec } from '../../../io/codecs/codec.js';
import type { Task } from '../../training/recipe.js';

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
