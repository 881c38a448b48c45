import type { Position } from '../../core/delivery/delivery.js';
import { type ErrorPlace, TagstreamError } from '../../core/errors.js';
import { faultsOf } from './fault.js';

/** Bytes that are kept of a record that is too long to be held as a whole. */
export const rawLimit = 65_536;

/** A record that could not be read or processed: its position, its bytes and its error. */
export interface BadRecord {
  readonly position: Position;
  /** The record's bytes, without the line end; only the first of them where `truncated`. */
  readonly raw: Uint8Array;
  readonly truncated: boolean;
  readonly error: TagstreamError;
}

/**
 * A bad record made from the record's text or bytes; the error's place is filled in from `position`. An error
 * whose code is no fault of a record has failed in a stage, and gets the code `stage`.
 *
 * Does not change its inputs.
 *
 * @param truncated `raw` is only the beginning of the record: its first `rawLimit` bytes are kept
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
  truncated = false,
): BadRecord {
  const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw;
  return {
    position,
    raw: truncated && bytes.length > rawLimit ? bytes.slice(0, rawLimit) : bytes,
    truncated,
    error: faultOf(error, { source: position.source, line: position.line }),
  };
}

function faultOf(error: TagstreamError, place: ErrorPlace): TagstreamError {
  const [fault] = faultsOf(error.code);
  if (fault === error.code) return error.at(place);
  const { problem, fix } = error;
  return new TagstreamError(fault!, problem, {
    place: { ...place, ...error.place },
    ...(fix === undefined ? {} : { fix }),
    cause: error,
  });
}
