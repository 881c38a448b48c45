import type { TagstreamError } from '../../../engine/core/errors.js';
import type { BadRecord } from '../../../formats/bad-records/bad-record.js';
import type { PlacedBytes } from '../../io/blocks/block-cutter.js';
import { type PortableError, portableError, receivedError } from '../../workers/portable-error.js';

/** Whole records for a worker. */
export interface BlockTask {
  /** Name of the input that the block is from. */
  readonly source: string;
  readonly block: PlacedBytes;
  /** Memory of an earlier result that is no longer in use, for this block's result: fresh memory is slower to write. */
  readonly room?: ArrayBuffer | undefined;
}

/** A bad record, and its number among the records of its block, counted from 1. */
export interface NumberedBad {
  readonly number: number;
  readonly bad: BadRecord;
}

/** A bad record of a block, with its error as a message between threads. */
export interface BadInBlock extends Omit<BadRecord, 'error'> {
  /** Number of the record in its block, from 1. */
  readonly number: number;
  readonly error: PortableError;
}

/** Returns a bad record in a form that can be sent to another thread. */
export function sentBad({ number, bad }: NumberedBad): BadInBlock {
  const { position, raw, truncated, error } = bad;
  return { number, position, raw, truncated, error: portableError(error) };
}

/** Returns the bad record that was sent. */
export function receivedBad({ position, raw, truncated, error }: BadInBlock): BadRecord {
  return { position, raw, truncated, error: receivedError(error) as TagstreamError };
}
