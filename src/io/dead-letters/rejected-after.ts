import { createReadStream, statSync } from 'node:fs';
import type { Position } from '../../core/delivery/delivery.js';
import { TagstreamError } from '../../core/errors.js';
import { fileError } from '../files/file-error.js';
import { splitLines } from '../lines/lines.js';
import { readsOnce } from '../reading/reads-once.js';
import { maxRejectedBytes, readRejected } from './rejected-record.js';
import { withAllRotations } from './rotation-name.js';

/**
 * A record by where it begins, as a key.
 *
 * @example
 * recordKey({ source: 'a', line: 1, start: 7, end: 9 }) // => '7 a'
 */
export function recordKey({ source, start }: Position): string {
  return `${start} ${source}`;
}

/**
 * The records in a dead-letter file, or in one that it was rotated to, as far as they
 * begin after a position: a run that resumes there reads them once more.
 *
 * @param files the inputs, in their order
 * @throws TagstreamError `file` if the file cannot be read
 */
export async function rejectedAfter(
  path: string,
  files: readonly string[],
  position: Position | undefined,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const from = position === undefined ? -1 : files.indexOf(position.source);
  // What can be read only once is another input each time, with offsets of its own.
  const known = new Set(files.filter(file => !readsOnce(file)));
  const isAfter = ({ source, start }: Position) =>
    known.has(source) &&
    (position === undefined ||
      (source === position.source ? start >= position.end : files.indexOf(source) > from));
  for (const file of withAllRotations(path)) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    try {
      for await (const lines of splitLines(createReadStream(file), {
        maxLineBytes: maxRejectedBytes,
      })) {
        for (const { text } of lines) {
          const place = placeOf(text);
          if (place !== undefined && isAfter(place)) found.add(recordKey(place));
        }
      }
    } catch (cause) {
      throw fileError('read', file, cause);
    }
  }
  return found;
}

/** The partial line of a run that was killed is no record. */
function placeOf(text: string): Position | undefined {
  try {
    return readRejected(text).position;
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return undefined;
    throw thrown;
  }
}
