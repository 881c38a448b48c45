import type { TextColumns } from '../../../features/texts/text-work.js';

/** Reads texts of whole labelled sentences into numbers of the texts of a `TextTable`. */
export interface PlainSentenceReader {
  /** Reads a text to its end; false where some of it is not plain, and nothing counts as read. */
  read(bytes: Uint8Array): boolean;
  /** Where the numbers are: tokens first, then other columns, the tags last. */
  readonly columns: TextColumns;
  /** Numbers of the texts of one column, until memory grows. */
  numbers(column: number): Uint32Array;
  /** First token of each labelled sentence, and after the last the number of tokens. */
  readonly firsts: Uint32Array;
  /** Ids of the records of these sentences; undefined where none has one. */
  readonly ids: readonly (string | undefined)[] | undefined;
  /** Records that were read, labelled or not. */
  readonly count: number;
  /** Blank lines that a format passes over. */
  readonly blank: number;
}
