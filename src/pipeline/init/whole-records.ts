import type { Codec } from '../../io/codecs/codec.js';
import { arrayCutOff } from '../../io/reading/lines-of-chunks.js';
import type { Head } from '../../io/reading/read-head.js';

/**
 * The bytes of the records at the beginning of a file that are there to their end; a JSON array as lines.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `file` where the file is damaged, or an array that is all there has no end
 */
export function wholeRecords(
  { bytes, whole, damage }: Head,
  { intoLines, recordsAreLines }: Pick<Codec, 'intoLines' | 'recordsAreLines'>,
  source: string,
): Uint8Array {
  if (damage !== undefined) throw damage;
  if (intoLines?.isNeeded(bytes) === true) {
    const maker = intoLines.begin();
    const lines = maker.lines(bytes);
    if (!whole) return lines.subarray(0, lineEnd(lines));
    const { rest, missing } = maker.end();
    if (missing !== undefined) throw arrayCutOff(source, missing);
    return Buffer.concat([lines, rest]);
  }
  if (whole) return bytes;
  return bytes.subarray(0, recordsAreLines ? lineEnd(bytes) : blockEnd(bytes));
}

function lineEnd(bytes: Uint8Array): number {
  return bytes.lastIndexOf(10) + 1;
}

/** Where the last blank line begins; the end of the last line if there is none. */
function blockEnd(bytes: Uint8Array): number {
  for (let i = lineEnd(bytes) - 1; i > 0; i -= 1) {
    const before = bytes[i - 1] === 13 ? i - 2 : i - 1;
    if (bytes[i] === 10 && bytes[before] === 10) return i + 1;
  }
  return lineEnd(bytes);
}
