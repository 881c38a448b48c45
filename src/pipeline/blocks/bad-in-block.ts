import type { TagstreamError } from '../../core/errors.js';
import type { BadRecord } from '../../io/bad-record.js';
import { type PortableError, portableError, receivedError } from '../../workers/portable-error.js';

/** A bad record of a block, with its error as messages between threads hold it. */
export interface BadInBlock extends Omit<BadRecord, 'error'> {
  readonly error: PortableError;
}

/** A bad record on its way to another thread. */
export function sentBad({ position, raw, truncated, error }: BadRecord): BadInBlock {
  return { position, raw, truncated, error: portableError(error) };
}

/** The bad record that was sent. */
export function receivedBad({ position, raw, truncated, error }: BadInBlock): BadRecord {
  return { position, raw, truncated, error: receivedError(error) as TagstreamError };
}
