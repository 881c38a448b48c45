import type { AnswerKind } from '../answers/answer.js';
import type { FixedTags } from './fixed-tags.js';

/** A record as the page shows it. */
export interface ShownRecord {
  /** Its position in the queue, from 0. */
  readonly record: number;
  /** Identifies what is shown here; the answer brings it back. */
  readonly showing: string;
  readonly id?: string | undefined;
  readonly text?: string | undefined;
  readonly tokens: readonly string[];
  /** Start and end of each token in UTF-16 units of the text, where there is one. */
  readonly offsets?: readonly (readonly [number, number])[] | undefined;
  /** Token ranges of its sentences. */
  readonly sentences: readonly (readonly [number, number])[];
  readonly tags: readonly string[];
  /** Probability of each tag. */
  readonly marginals: readonly number[];
  /** Tokens that are asked; all of them if absent. */
  readonly asked?: readonly number[] | undefined;
  /** The answer that it has. */
  readonly answered?:
    | { readonly answer: AnswerKind; readonly note?: string | undefined }
    | undefined;
  /** The tags that people gave it who do not agree, for the one who decides. */
  readonly versions?:
    | readonly { readonly annotator: string; readonly tags: readonly string[] }[]
    | undefined;
  /**
   * What is decided before the one who decides has said anything: the tags on which people agree, or those of the earlier
   * decision. Each token that is null has to be decided before the record can be accepted.
   */
  readonly decided?: FixedTags | undefined;
  /** Version of the model that has made the proposal. */
  readonly model: string;
}

/** A record in a list: what was found, or was answered. */
export interface ListedRecord {
  readonly record: number;
  /** Some of its text, on one line; from a little before what was searched. */
  readonly text: string;
  /** Its answer; `open` without one, `other` where it is not this person's to answer. */
  readonly state: AnswerKind | 'open' | 'other';
  readonly note?: string | undefined;
}

/** How far a person has come. */
export interface ShownProgress {
  /** Records that are this person's, and those that have an answer. */
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
  /** What it would reach on fresh text of the same kind, from records drawn at random, with its interval of 95 %. */
  readonly estimate?:
    | {
        readonly score: number;
        readonly low: number;
        readonly high: number;
        readonly records: number;
      }
    | undefined;
  /** Why more answers hardly help, where that is so. */
  readonly mayStop?: string | undefined;
  readonly model: string;
}
