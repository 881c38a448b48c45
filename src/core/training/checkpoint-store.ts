import type { State } from './state.js';

/** Everything a checkpoint holds: one state for each part of the run, by the part's name. */
export type CheckpointParts = Readonly<Record<string, State>>;

/** Where checkpoints are kept; implemented in `io/`, injected by `pipeline/`. */
export interface CheckpointStore {
  /** Writes a new generation atomically and drops those beyond the number to keep. Returns its name. */
  write(parts: CheckpointParts): string;
  /** The newest valid generation; damaged ones are named to `onDamaged` and skipped. */
  readNewest(onDamaged: (name: string, error: Error) => void): CheckpointParts | undefined;
}
