import type { Column } from '../../../core/sentence/document.js';
import type { TagRule } from '../../../models/decoding/tag-rules.js';
import type { TokenExplanation } from '../../../models/inspection/explanation.js';
import type {
  Analysis,
  AnalyzeOptions,
  TaggedText,
  TaggerSentence,
  TagTextOptions,
} from '../../../models/tagger.js';

/** What each thread of a `TaggerPool` makes its tagger of. */
export interface TaggerSetup {
  readonly bytes: SharedArrayBuffer;
  /** Name of the model file, for errors. */
  readonly source: string;
  readonly rules: readonly TagRule[] | undefined;
}

/** The tokens of a sentence and its further columns. */
interface Given {
  readonly tokens: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
}

/** A method of `Tagger`, with what it is given. */
export type TaggerTask =
  | { readonly what: 'tags'; readonly sentences: readonly TaggerSentence[] }
  | { readonly what: 'text'; readonly text: string; readonly options: TagTextOptions }
  | { readonly what: 'analysis'; readonly given: Given; readonly options: AnalyzeOptions }
  | { readonly what: 'explanation'; readonly given: Given };

/** What comes of each of them. */
export interface TaggerResults {
  readonly tags: string[][];
  readonly text: TaggedText;
  readonly analysis: Analysis;
  readonly explanation: TokenExplanation[];
}

/** What comes of one of them. */
export type TaggerResult = TaggerResults[TaggerTask['what']];
