import type { DecodedRows } from '../../../models/decoding/row-decoder.js';

/** What was decoded, by record. */
export interface DecodedRecords extends DecodedRows {
  /** First token of each sentence, and after the last the number of tokens. */
  readonly starts: Uint32Array;
  /** First sentence of each record, and after the last the number of sentences. */
  readonly firstSentences: ArrayLike<number>;
  /** Records all sentences of which are decoded. */
  readonly records: number;
}
