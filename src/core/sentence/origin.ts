/**
 * A record as an annotation tool has written it, kept so that it can go back there: with its ids, notes and all else that
 * labels are not. All of it is JSON text, so that no number and no escape changes.
 */
export interface Origin {
  /** `{"format", "text", "record"}`: the tool, the path of the text, and the record, in which null stands for the text. */
  readonly json: string;
  /** The id of the record, as it is written. */
  readonly id?: string;
  /** The text of the record, as it is written. */
  readonly text?: string;
}
