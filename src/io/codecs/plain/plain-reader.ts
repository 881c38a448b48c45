import type { TextColumns } from '../../../features/texts/text-work.js';

/** Why reading ended: at the end of the text, at a record that is not plain, or for want of room. */
export type PlainEnding = 'end' | 'not-plain' | 'full' | 'texts-full';

/** Reads plain records of a text into numbers of texts, as many at a time as there is room for. */
export interface PlainReader {
  /** Reads on from where the text was left. New texts are hashed. */
  read(): PlainEnding;
  /** Records that were read last. */
  readonly count: number;
  /** Blank lines among what was read last that stand between records. */
  readonly blank: number;
  /** Of what was read last: first token of each sentence, and after the last the number of tokens; until it reads on. */
  readonly starts: Uint32Array;
  /** Where the numbers of the texts are: tokens first, then the columns. */
  readonly columns: TextColumns;
  /** First sentence of each record, and after the last the number of sentences; absent where each is one. */
  readonly firstSentences?: ArrayLike<number>;
  /** Goes back to a record that was read last, as if it and those after it had not been read. */
  backTo(record: number): void;
}
