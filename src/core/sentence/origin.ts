/**
 * A record as an annotation tool has written it, kept so that it can go back there: with its ids, notes and all else that
 * labels are not.
 */
export interface Origin {
  /** The format of the tool. */
  readonly format: string;
  /** Where the text stood in the record, which is null there: the document has it. */
  readonly text?: readonly string[];
  /** The record: JSON. */
  readonly record: unknown;
}
