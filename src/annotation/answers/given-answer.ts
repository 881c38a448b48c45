import type { AnswerKind } from './answer.js';

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
