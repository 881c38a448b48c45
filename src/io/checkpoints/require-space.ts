import { statfsSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';
import type { CheckpointParts } from '../../core/training/checkpoint-store.js';
import { kibibytes } from '../../core/wording/kibibytes.js';

/** For the manifest, which is small beside the arrays, and for what a file system takes itself. */
const reserve = 2 ** 14;

/**
 * Sees to it that a checkpoint fits onto its disk before any of it is written.
 *
 * @throws TagstreamError `file` if it does not; what the file system throws
 */
export function requireSpace(directory: string, parts: CheckpointParts): void {
  const arrays = Object.values(parts).flatMap(({ arrays }) => Object.values(arrays));
  const needed = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const { bavail, bsize, blocks } = statfsSync(directory);
  const free = bavail * bsize;
  // Some file systems do not know their size.
  if (blocks === 0 || free >= needed + reserve) return;
  throw new TagstreamError(
    'file',
    `a checkpoint of ${kibibytes(needed)} does not fit into ${directory}: ${kibibytes(free)} are free`,
    { fix: 'free some space, or keep fewer checkpoints' },
  );
}
