import { TagstreamError } from '../../core/errors.js';
import type { CheckpointParts } from '../../core/training/checkpoint-store.js';
import { FileCheckpointStore } from './file-checkpoint-store.js';

/**
 * The newest whole checkpoint of a directory, or nothing where it holds none yet. Never nothing because
 * all that it holds is damaged.
 *
 * @param onDamaged called for each that is skipped
 * @throws TagstreamError `checkpoint` if there are checkpoints but none is whole
 */
export function readWhole(
  directory: string,
  onDamaged?: (name: string, error: Error) => void,
): CheckpointParts | undefined {
  const damaged: string[] = [];
  const parts = new FileCheckpointStore(directory).readNewest((name, error) => {
    damaged.push(name);
    onDamaged?.(name, error);
  });
  if (parts === undefined && damaged.length > 0) {
    throw new TagstreamError('checkpoint', `no intact checkpoint: ${damaged.join(', ')}`, {
      place: { source: directory },
      fix: 'start again without --resume, or restore an intact checkpoint',
    });
  }
  return parts;
}
