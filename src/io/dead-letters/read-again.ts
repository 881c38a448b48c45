import { statSync } from 'node:fs';
import type { BadRecord } from '../bad-records/bad-record.js';
import { pastMarks } from '../lines/byte-order-marks.js';
import { openInput } from '../reading/open-input.js';

const LF = 10;

/**
 * The bytes of a record of which a dead letter has the beginning, read from its input. Undefined where that
 * is no file any more that holds them at this place: the record has to begin as the kept part does, and to
 * follow and be followed by a line end.
 *
 * Holds the record, and reads a compressed file from its start.
 *
 * @throws TagstreamError `file` if the input cannot be read
 * @example
 * const position = { source: '<stdin>', line: 1, start: 0, end: 99_999 };
 * const raw = new TextEncoder().encode('{"text":');
 * const error = new TagstreamError('too-long', 'a line of 99999 bytes');
 * await readAgain({ position, raw, truncated: true, error }) // => undefined
 */
export async function readAgain({ position, raw }: BadRecord): Promise<Uint8Array | undefined> {
  const { source, start, end } = position;
  if (statSync(source, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const from = Math.max(0, start - 3);
  // With what stands before and after it: a line end or a byte order mark, and a line end, maybe with a CR.
  const wanted = Buffer.alloc(end + 2 - from);
  let filled = 0;
  const input = await openInput(source, { start: from });
  try {
    let at = input.offset;
    for await (const chunk of input.chunks) {
      const piece = chunk.subarray(Math.max(0, from - at), from + wanted.length - at);
      if (at + chunk.length > from) {
        wanted.set(piece, filled);
        filled += piece.length;
      }
      at += chunk.length;
      if (filled === wanted.length) break;
    }
  } finally {
    input.close();
  }
  const found = wanted.subarray(0, filled);
  const record = found.subarray(start - from, end - from);
  if (record.length < end - start) return undefined;
  const isMarked = start >= 3 && pastMarks(found, 0, 3) === 3;
  const isAfterLine = start === 0 || isMarked || found[start - from - 1] === LF;
  const isBeforeLine = isLineEnd(found.subarray(end - from));
  return isAfterLine && isBeforeLine && beginsWith(record, raw) ? record : undefined;
}

function isLineEnd(rest: Uint8Array): boolean {
  return rest.length === 0 || rest[0] === LF || (rest[0] === 13 && (rest[1] ?? LF) === LF);
}

/** A rejected record of several lines has them without the CR before each line end. */
function beginsWith(record: Buffer, raw: Uint8Array): boolean {
  const most = 2 * raw.length + 1;
  const lines = record.subarray(0, most).toString('latin1').replaceAll('\r\n', '\n');
  const beginning = Buffer.from(raw).toString('latin1').replaceAll('\r\n', '\n');
  return lines.startsWith(beginning.replace(/\r$/, ''));
}
