/** The possible answers to a record. */
export const answerKinds = ['accept', 'reject', 'skip', 'flag'] as const;

/**
 * `accept`: the tags are correct. `reject`: the record must not be learned from. `skip`: the
 * decision is postponed. `flag`: somebody else should look at the record. Only an accepted record
 * has tags in the file and is used for training.
 */
export type AnswerKind = (typeof answerKinds)[number];

/** The content of `_annotation` in an answered record. */
export interface AnswerNote {
  /** Position of the record in the queue, from 0, and a hash of its content. */
  readonly record: number;
  readonly digest: string;
  readonly answer: AnswerKind;
  readonly annotator: string;
  /** Time of the answer, in ISO 8601. */
  readonly time: string;
  /** Version of the model that made the proposal. */
  readonly model: string;
  /** Proposed tags. */
  readonly proposed: readonly string[];
  /** Positions of the tokens in question; default: all. */
  readonly asked?: readonly number[] | undefined;
  /** Number of changes that the annotator made before answering. */
  readonly corrections: number;
  /** Whether the record was drawn at random rather than chosen by the strategy. */
  readonly drawn?: boolean | undefined;
  readonly note?: string | undefined;
  /** Key set by the page, so that a duplicate answer is stored once. */
  readonly key?: string | undefined;
}

/** Line and position of a replaced answer, with which undo restores it. */
export interface ReplacedAnswer {
  readonly at: number;
  readonly line: string;
}

/** An answer as stored in the file. */
export interface Answer {
  readonly note: AnswerNote;
  readonly tokens: readonly string[];
  /** Tags, null for tokens not in question. Absent unless the record was accepted. */
  readonly tags?: readonly (string | null)[] | undefined;
  /** The replaced answer, stored in the file as `_annotation.replaced: { at, record }`. */
  readonly replaced?: ReplacedAnswer | undefined;
}

/** An annotator's answer to a record. */
export interface GivenAnswer {
  readonly record: number;
  readonly answer: AnswerKind;
  /** Tags, one per token; for an accepted record. */
  readonly tags?: readonly string[] | undefined;
  /** Positions of the tokens whose tags the annotator has set. */
  readonly fixed?: readonly number[] | undefined;
  readonly corrections: number;
  /** Id of the showing that the page answers, which determines the tokens in question. */
  readonly showing?: string | undefined;
  readonly asked?: readonly number[] | undefined;
  readonly note?: string | undefined;
  readonly key?: string | undefined;
}
