import type { Position } from '../core/delivery.js';
import type { TagstreamError } from '../core/errors.js';

/** Bytes of a bad record that are kept at most. */
export const rawLimit = 65_536;

/** A record that could not be read or processed: where it lies, its bytes, and what is wrong with it. */
export interface BadRecord {
  readonly position: Position;
  /** The record's bytes, without the line end; only the first `rawLimit` of them where `truncated`. */
  readonly raw: Uint8Array;
  readonly truncated: boolean;
  readonly error: TagstreamError;
}

/**
 * A bad record made from the record's text or bytes; the error's place is filled in from `position`.
 *
 * Keeps at most `rawLimit` bytes; does not change its inputs.
 *
 * @example
 * const position = { source: 'a.ndjson', line: 2, start: 4, end: 8 };
 * const bad = badRecord(position, 'null', new TagstreamError('not-an-object', 'a null'));
 * bad.error.message // => 'a.ndjson:2: a null'
 * bad.raw.length // => 4
 */
export function badRecord(
  position: Position,
  raw: string | Uint8Array,
  error: TagstreamError,
  alreadyTruncated = false,
): BadRecord {
  const bytes = typeof raw === 'string' ? Buffer.from(raw.slice(0, rawLimit + 1)) : raw;
  const truncated = alreadyTruncated || bytes.length > rawLimit;
  return {
    position,
    raw: bytes.length > rawLimit ? bytes.slice(0, rawLimit) : bytes,
    truncated,
    error: error.at({ source: position.source, line: position.line }),
  };
}
