/** What a person can say of a record. */
export const answerKinds = ['accept', 'reject', 'skip', 'flag'] as const;

/**
 * `accept`: its tags are right unchanged. `reject`: it is not to be learned from. `skip`: another time. `flag`:
 * somebody else is to look at it. Only an accepted record has tags in the file, and so is trained on.
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
  /** Tokens whose tag the person was asked for; all of them if absent. */
  readonly asked?: readonly number[] | undefined;
  /** Changes that the person made before the answer. */
  readonly corrections: number;
  /** Whether it was drawn at random, and not chosen by the strategy. */
  readonly drawn?: boolean | undefined;
  readonly note?: string | undefined;
  /** Given by the page: the same answer that comes twice is kept once. */
  readonly key?: string | undefined;
}

/** The line of an answer that another one replaced, and where it stood: undoing brings it back. */
export interface ReplacedAnswer {
  readonly at: number;
  readonly line: string;
}

/** An answer as the file has it. */
export interface Answer {
  readonly note: AnswerNote;
  readonly tokens: readonly string[];
  /** Null where a token was not asked for. Absent unless the record was accepted. */
  readonly tags?: readonly (string | null)[] | undefined;
  /** What it replaced; the file has it in `_annotation`, as `replaced: { at, record }`. */
  readonly replaced?: ReplacedAnswer | undefined;
}

/** What a person says of a record. */
export interface GivenAnswer {
  readonly record: number;
  readonly answer: AnswerKind;
  /** One for each token; for an accepted record. */
  readonly tags?: readonly string[] | undefined;
  /** Tokens whose tags the person has set. */
  readonly fixed?: readonly number[] | undefined;
  readonly corrections: number;
  /** What the page showed: the id of the showing, and the tokens that were asked. */
  readonly showing?: string | undefined;
  readonly asked?: readonly number[] | undefined;
  readonly note?: string | undefined;
  readonly key?: string | undefined;
}
