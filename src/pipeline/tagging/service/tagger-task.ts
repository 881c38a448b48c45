import type { TaggedText, TaggerSentence } from '../../../models/tagger.js';

/** What each thread of a `TaggerPool` makes its tagger of. */
export interface TaggerSetup {
  readonly bytes: SharedArrayBuffer;
  /** Name of the model file, for errors. */
  readonly source: string;
}

/** Sentences or texts, to be tagged together. */
export type TaggerTask =
  | { readonly sentences: readonly TaggerSentence[] }
  | { readonly texts: readonly string[] };

/** What one of them comes to. */
export type TaggerResult =
  | { readonly tags: readonly string[][] }
  | { readonly texts: readonly TaggedText[] };
