import { type BadRecord, rawLimit } from '../bad-records/bad-record.js';
import { maxRejectedBytes, writeRejected } from './rejected-record.js';

/** A rejected record as a line, and whether all of its bytes are in it. */
export interface FittingRecord {
  readonly line: string;
  readonly whole: boolean;
}

/**
 * A rejected record as a line of at most `maxBytes`, and never more than `maxRejectedBytes`: with all bytes
 * that are at hand as text or, where that is too long, in base64; else with the first `rawLimit` of them.
 *
 * @example
 * const position = { source: 'a', line: 1, start: 0, end: 4 };
 * const error = new TagstreamError('not-an-object', 'a null');
 * const raw = new TextEncoder().encode('null');
 * fittingRecord({ position, raw, truncated: false, error }, 1000).whole // => true
 */
export function fittingRecord(bad: BadRecord, maxBytes: number, time?: Date): FittingRecord {
  const most = Math.min(maxBytes, maxRejectedBytes);
  // A text whose every character is escaped would take six times its bytes: that many fit in a string.
  for (const base64 of bad.raw.length <= most ? [false, true] : []) {
    const line = writeRejected(bad, time, base64);
    if (Buffer.byteLength(line) <= most) return { line, whole: !bad.truncated };
  }
  const beginning = { ...bad, raw: bad.raw.subarray(0, rawLimit), truncated: true };
  return { line: writeRejected(beginning, time), whole: false };
}
