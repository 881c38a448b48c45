import type { AnswerKind } from '../answers/answer.js';
import type { FixedTags } from './fixed-tags.js';

/** A record as the page shows it. */
export interface ShownRecord {
  /** Its position in the queue, from 0. */
  readonly record: number;
  /** Identifies this showing; the answer refers to it. */
  readonly showing: string;
  readonly id?: string | undefined;
  readonly text?: string | undefined;
  readonly tokens: readonly string[];
  /** Start and end of each token in UTF-16 units of the text, if there is one. */
  readonly offsets?: readonly (readonly [number, number])[] | undefined;
  /** Token ranges of its sentences. */
  readonly sentences: readonly (readonly [number, number])[];
  readonly tags: readonly string[];
  /** Probability of each tag. */
  readonly marginals: readonly number[];
  /** Tokens in question; default: all. */
  readonly asked?: readonly number[] | undefined;
  /** Its answer. */
  readonly answered?:
    | { readonly answer: AnswerKind; readonly note?: string | undefined }
    | undefined;
  /** The differing tags of people, for the one who decides. */
  readonly versions?:
    | readonly { readonly annotator: string; readonly tags: readonly string[] }[]
    | undefined;
  /**
   * What is already decided for the reviewer: the tags on which people agree, or those of the earlier decision. Each null
   * token has to be decided before the record can be accepted.
   */
  readonly decided?: FixedTags | undefined;
  /** Version of the model that has made the proposal. */
  readonly model: string;
}

/** A record in a list: found or answered. */
export interface ListedRecord {
  readonly record: number;
  /** Some of its text, on one line; from a little before the match. */
  readonly text: string;
  /** Its answer; `open` without one, `other` if it belongs to somebody else. */
  readonly state: AnswerKind | 'open' | 'other';
  readonly note?: string | undefined;
}

/** The progress of a person. */
export interface ShownProgress {
  /** Records of this person, and how many have an answer. */
  readonly total: number;
  readonly answered: number;
  readonly accepted: number;
  readonly flagged: number;
  /** Records that could not be read. */
  readonly unreadable: number;
  /** Corrections by accepted record: of the last ones, and of those before them. */
  readonly corrections: { readonly last: number; readonly before: number };
  /**
   * Of the model before it saw each answer: F1 of spans, or accuracy of tags, in percent; undefined while there is nothing to
   * count.
   */
  readonly progressive?: number | undefined;
  /** Its estimated score on fresh text of the same kind, from randomly drawn records, with a 95 % interval. */
  readonly estimate?:
    | {
        readonly score: number;
        readonly low: number;
        readonly high: number;
        readonly records: number;
      }
    | undefined;
  /** Why more answers hardly help, if so. */
  readonly mayStop?: string | undefined;
  readonly model: string;
}
