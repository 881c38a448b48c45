import type { DocumentDraft } from '../codec.js';

/** What a block of lines is: read, without its end yet, or to be read line by line. */
export type PlainBlock = 'plain' | 'open' | 'other';

/** Reads blocks of lines that are written plainly from their bytes. */
export interface PlainBlockReader {
  /**
   * Reads the block that begins at `start`, up to the blank line after it.
   *
   * @param bytes valid UTF-8, up to the last line end at least
   */
  read(bytes: Buffer, start: number): PlainBlock;
  /** Of the block that was read last: end of its last row, without the line end. */
  readonly rowsEnd: number;
  /** Where the line after its blank line begins. */
  readonly next: number;
  /** Line ends in it, that of the blank line among them. */
  readonly lines: number;
  /** Its document. */
  take(): DocumentDraft;
}
