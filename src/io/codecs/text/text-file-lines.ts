import type { IntoLines } from '../../lines/into-lines.js';

const LF = 10;

/** What stands for a line end in a file that is one record: the record separator of ASCII, which no text has. */
export const lineEndInRecord = '\x1e';

/**
 * A whole file as one line: each line end in it is written as `lineEndInRecord`.
 *
 * @example
 * const line = textFileLines.begin().lines(new TextEncoder().encode('a\nb\n'));
 * new TextDecoder().decode(line) // => 'a\x1eb\x1e'
 */
export const textFileLines: IntoLines = {
  isNeeded: () => true,
  begin: () => ({
    lines: chunk => chunk.map(byte => (byte === LF ? lineEndInRecord.charCodeAt(0) : byte)),
    end: () => ({ rest: new Uint8Array(0) }),
  }),
};
