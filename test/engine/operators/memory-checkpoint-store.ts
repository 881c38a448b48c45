import type { CheckpointParts, CheckpointStore } from '../../../src/engine/core/training/state.js';
import { deepCopy } from '../models/examples/deep-copy.js';

/** Checkpoints in memory, copied as if they had been written and read. */
export class MemoryCheckpointStore implements CheckpointStore {
  readonly generations: CheckpointParts[] = [];

  write(parts: CheckpointParts): string {
    this.generations.push(
      Object.fromEntries(Object.entries(parts).map(([name, state]) => [name, deepCopy(state)])),
    );
    return `gen-${this.generations.length}`;
  }

  readNewest(): CheckpointParts | undefined {
    return this.generations.at(-1);
  }
}
