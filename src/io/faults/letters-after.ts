import { createReadStream, existsSync } from 'node:fs';
import type { Position } from '../../core/delivery.js';
import { TagstreamError } from '../../core/errors.js';
import { fileError } from '../file-error.js';
import { splitLines } from '../lines.js';
import { sourceName } from '../open-input.js';
import { readLetter } from './letter.js';
import { withRotations } from './rotation-name.js';

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
 * The records of which a file of dead letters, or one that it was rotated to, holds letters, as far as they
 * begin after a position: a run that goes on there meets them once more.
 *
 * @param files the inputs, in their order
 * @throws TagstreamError `file` if the letters cannot be read
 */
export async function lettersAfter(
  path: string,
  files: readonly string[],
  position: Position | undefined,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const from = position === undefined ? -1 : files.indexOf(position.source);
  // The standard input is another one each time, with offsets of its own.
  const isAfter = ({ source, start }: Position) =>
    source !== sourceName('-') &&
    (position === undefined ||
      (source === position.source ? start >= position.end : files.indexOf(source) > from));
  for (const file of withRotations(path)) {
    if (!existsSync(file)) continue;
    try {
      for await (const lines of splitLines(createReadStream(file))) {
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

/** Half a letter, from a run that was killed, is none. */
function placeOf(text: string): Position | undefined {
  try {
    return readLetter(text).position;
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return undefined;
    throw thrown;
  }
}
