import type { RunStatus } from '../../../engine/core/run-status.js';
import type { CheckpointParts, CheckpointStore } from '../../../engine/core/training/state.js';
import { FileCheckpointStore } from '../../io/checkpoints/file-checkpoint-store.js';
import type { RunEvents } from '../definition/events.js';

/**
 * Returns a store that reports each written or failed checkpoint to `status`.
 *
 * @example
 * const status = new RunStatus();
 * const store = countedCheckpoints({ write: () => '1', readNewest: () => undefined }, status);
 * store.write({}) // => '1'
 * [status.checkpoints, status.checkpointFailures] // => [1, 0]
 */
export function countedCheckpoints(store: CheckpointStore, status: RunStatus): CheckpointStore {
  // Before the first checkpoint, the age is that of the run, so that an alarm also triggers if none is ever written.
  status.checkpointedAt = Date.now();
  return {
    write(parts: CheckpointParts): string {
      try {
        const name = store.write(parts);
        status.checkpoints += 1;
        status.checkpointedAt = Date.now();
        return name;
      } catch (thrown) {
        status.checkpointFailures += 1;
        throw thrown;
      }
    },
    readNewest: onDamaged => store.readNewest(onDamaged),
  };
}

/** Reports a run that starts from scratch in a folder with checkpoints of an earlier run. */
export function noteAnew(directory: string, events: Pick<RunEvents, 'onAnew'> | undefined): void {
  if (events?.onAnew === undefined) return;
  const newest = new FileCheckpointStore(directory).newest;
  if (newest !== undefined) events.onAnew(directory, newest);
}
