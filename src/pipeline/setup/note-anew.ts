import { FileCheckpointStore } from '../../io/checkpoints/file-checkpoint-store.js';
import type { RunEvents } from '../definition/events.js';

/** Reports a run that starts anew in a folder that has the checkpoints of an earlier one. */
export function noteAnew(directory: string, events: Pick<RunEvents, 'onAnew'> | undefined): void {
  if (events?.onAnew === undefined) return;
  const newest = new FileCheckpointStore(directory).newest;
  if (newest !== undefined) events.onAnew(directory, newest);
}
