import type { AnswerKind } from '../answers/answer.js';
import type { FixedTags } from './fixed-tags.js';

/** A record as the page shows it. */
export interface ShownRecord {
  /** Position in the queue, from 0. */
  readonly record: number;
  /** Id of this showing, to which the answer refers. */
  readonly showing: string;
  readonly id?: string | undefined;
  readonly text?: string | undefined;
  readonly tokens: readonly string[];
  /** Start and end of each token in UTF-16 units of the text, if the record has a text. */
  readonly offsets?: readonly (readonly [number, number])[] | undefined;
  /** Token ranges of the sentences. */
  readonly sentences: readonly (readonly [number, number])[];
  /** Whether the sentences were found by the program: a span across their ends joins them. */
  readonly isGuessed?: boolean | undefined;
  readonly tags: readonly string[];
  /** Probability of each tag. */
  readonly marginals: readonly number[];
  /** Positions of the tokens in question; default: all. */
  readonly asked?: readonly number[] | undefined;
  /** Answer to the record. */
  readonly answered?:
    | { readonly answer: AnswerKind; readonly note?: string | undefined }
    | undefined;
  /** Annotators' differing tags, for the reviewer. */
  readonly versions?:
    | readonly { readonly annotator: string; readonly tags: readonly string[] }[]
    | undefined;
  /**
   * Tags already decided for the reviewer: those on which annotators agree, or those of the earlier
   * decision. Each null token has to be decided before the record can be accepted.
   */
  readonly decided?: FixedTags | undefined;
  /** Version of the model that made the proposal. */
  readonly model: string;
}

/** A record in a list of found or answered records. */
export interface ListedRecord {
  readonly record: number;
  /** Excerpt of the text, on one line, from a little before the match. */
  readonly text: string;
  /** Kind of the answer; `open` without one, `other` for a record of another annotator. */
  readonly state: AnswerKind | 'open' | 'other';
  readonly note?: string | undefined;
}

/** Progress of an annotator. */
export interface ShownProgress {
  /** Number of the annotator's records, and number of answered ones. */
  readonly total: number;
  readonly answered: number;
  readonly accepted: number;
  readonly flagged: number;
  /** Number of unreadable records. */
  readonly unreadable: number;
  /** Corrections per accepted record: of the last records, and of those before them. */
  readonly corrections: { readonly last: number; readonly before: number };
  /**
   * Score of the model before it saw each answer: F1 of spans, or accuracy of tags, in percent;
   * undefined while there is nothing to count.
   */
  readonly progressive?: number | undefined;
  /**
   * Estimated score of the model on fresh text of the same kind, from randomly drawn records, with
   * a 95 % interval.
   */
  readonly estimate?:
    | {
        readonly score: number;
        readonly low: number;
        readonly high: number;
        readonly records: number;
      }
    | undefined;
  /** Reason why more answers would hardly help; undefined if they would. */
  readonly mayStop?: string | undefined;
  readonly model: string;
}
