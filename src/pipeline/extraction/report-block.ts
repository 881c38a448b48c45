import type { RunStatus } from '../../core/run-status.js';
import type { BadRecord } from '../../io/bad-records/bad-record.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { NumberedBad } from '../blocks/bad-in-block.js';

/** Who gets to know what was read. */
export interface ReadingReport {
  readonly deadLetters: DeadLetters;
  /** Called for each blank line that was skipped. */
  readonly onBlank?: (() => void) | undefined;
  /** Receives what was read, block by block. */
  readonly status?: RunStatus | undefined;
}

/** What is counted of a block. */
interface CountedBlock {
  readonly read: number;
  readonly blank: number;
  readonly bad: readonly NumberedBad[];
}

/**
 * Counts the records of a block, and hands on the bad ones.
 *
 * @throws a bad record's error where the dead letters throw it
 */
export function reportBlock(
  { read, blank, bad }: CountedBlock,
  { deadLetters, onBlank, status }: ReadingReport,
): void {
  if (status !== undefined) status.recordsIn += read;
  const before = deadLetters.pass(read) - read;
  for (const { number, bad: record } of bad) deadLetters.add(record, before + number);
  for (let line = 0; line < blank; line += 1) onBlank?.();
}

/** The same of a record that is too long to be part of a block. */
export function reportBad(bad: BadRecord, { deadLetters, status }: ReadingReport): void {
  if (status !== undefined) status.recordsIn += 1;
  deadLetters.add(bad);
}
