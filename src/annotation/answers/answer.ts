/** The possible answers to a record. */
export const answerKinds = ['accept', 'reject', 'skip', 'flag'] as const;

/**
 * `accept`: its tags are right unchanged. `reject`: do not learn from it. `skip`: decide another time. `flag`:
 * somebody else should look at it. Only an accepted record has tags in the file, and so is used for training.
 */
export type AnswerKind = (typeof answerKinds)[number];

/** The content of `_annotation` in an answered record. */
export interface AnswerNote {
  /** The position of the record in the queue, from 0, and a hash of its content. */
  readonly record: number;
  readonly digest: string;
  readonly answer: AnswerKind;
  readonly annotator: string;
  /** When, in ISO 8601. */
  readonly time: string;
  /** The version of the model that made the proposal. */
  readonly model: string;
  /** The tags that were proposed. */
  readonly proposed: readonly string[];
  /** Tokens in question; default: all. */
  readonly asked?: readonly number[] | undefined;
  /** Changes that the person made before the answer. */
  readonly corrections: number;
  /** Whether it was drawn at random, not chosen by the strategy. */
  readonly drawn?: boolean | undefined;
  readonly note?: string | undefined;
  /** Set by the page: a duplicate answer is kept once. */
  readonly key?: string | undefined;
}

/** The line of a replaced answer, and its position, so that undo can restore it. */
export interface ReplacedAnswer {
  readonly at: number;
  readonly line: string;
}

/** An answer as stored in the file. */
export interface Answer {
  readonly note: AnswerNote;
  readonly tokens: readonly string[];
  /** Null for tokens not in question. Absent unless the record was accepted. */
  readonly tags?: readonly (string | null)[] | undefined;
  /** What it replaced; the file has it in `_annotation`, as `replaced: { at, record }`. */
  readonly replaced?: ReplacedAnswer | undefined;
}

/** A person's answer to a record. */
export interface GivenAnswer {
  readonly record: number;
  readonly answer: AnswerKind;
  /** One for each token; for an accepted record. */
  readonly tags?: readonly string[] | undefined;
  /** Tokens whose tags the person has set. */
  readonly fixed?: readonly number[] | undefined;
  readonly corrections: number;
  /** What the page showed: the id of the showing, and the tokens in question. */
  readonly showing?: string | undefined;
  readonly asked?: readonly number[] | undefined;
  readonly note?: string | undefined;
  readonly key?: string | undefined;
}
