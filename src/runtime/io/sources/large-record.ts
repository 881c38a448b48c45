import { channel } from 'node:diagnostics_channel';

/** Size in bytes from which a record is large: it may keep a thread busy for seconds. */
const large = 2 ** 20;

/** Diagnostics channel that announces large records before they are processed: messages are their sizes in bytes. */
export const largeRecords = channel('tagstream:large-record');

/**
 * Announces a record, or a block of records, if it is large.
 *
 * @param bytes its size in the input
 * @example
 * const announced = [];
 * largeRecords.subscribe(bytes => announced.push(bytes));
 * announceIfLarge(1000);
 * announceIfLarge(10_000_000);
 * announced // => [10_000_000]
 */
export function announceIfLarge(bytes: number): void {
  if (bytes >= large) largeRecords.publish(bytes);
}
