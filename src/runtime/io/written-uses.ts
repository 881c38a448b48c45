import type { ErrorPlace } from '../../engine/core/errors.js';
import { realTarget } from '../../formats/files/file-identity.js';
import type { FileUse } from '../../formats/files/require-apart.js';
import type { DeadLetterPlace } from './dead-letters/dead-letters.js';
import { rotationName, withRotations } from './dead-letters/rotations.js';
import { outputLockOf } from './locks/file-lock.js';
import { ResumableFile } from './writing/resumable-file.js';

/** Maximum number of rotated files that are named whether they exist or not. */
const mostNamed = 100;

/**
 * Returns all files of an output that grows under a temporary name, as outputs with checkpoints do.
 *
 * @example
 * resumableUses('a.ndjson').length // => 3
 */
export function resumableUses(path: string, place?: ErrorPlace): FileUse[] {
  return [
    { path, what: 'the output', place },
    { path: ResumableFile.partOf(targetOf(path)), what: 'the unfinished output', place },
    { path: outputLockOf(targetOf(path)), what: 'the lock of the output', place },
  ];
}

/**
 * Returns a dead-letter file, the files to which it is rotated, and those that rotation removes.
 *
 * @example
 * deadLetterUses({ file: 'bad', keep: 1 }).map(({ what }) => what)
 * // => ['the dead-letter file', 'a rotated dead-letter file', 'the lock of the dead-letter file']
 */
export function deadLetterUses(
  deadLetters: DeadLetterPlace | undefined,
  place?: ErrorPlace,
): FileUse[] {
  if (deadLetters === undefined) return [];
  const { file, keep } = deadLetters;
  const rotated = Array.from({ length: Math.min(keep, mostNamed) }, (_, n) =>
    rotationName(file, n + 1),
  );
  const present = withRotations(file).filter(path => path !== file);
  return [
    { path: file, what: 'the dead-letter file', place },
    ...[...new Set([...rotated, ...present])].map(path => ({
      ...{ path, what: 'a rotated dead-letter file', place },
    })),
    { path: outputLockOf(targetOf(file)), what: 'the lock of the dead-letter file', place },
  ];
}

function targetOf(path: string): string {
  try {
    return realTarget(path);
  } catch {
    return path;
  }
}
