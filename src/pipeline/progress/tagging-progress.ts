import type { CheckpointParts } from '../../core/checkpoint-store.js';
import type { Position } from '../../core/delivery.js';
import { FileCheckpointStore } from '../../io/file-checkpoint-store.js';
import type { ResumableFile } from '../../io/resumable-file.js';

/** How far a tagging run had come when its checkpoint was written. */
export interface TaggingState {
  /** The last record of all those that are done; absent before the first. */
  readonly position: Position | null;
  /** Bytes of the output file that hold the results of these records. */
  readonly outputBytes: number;
}

/** Where and how often progress is written down. */
export interface ProgressOptions {
  readonly directory: string;
  readonly keep?: number | undefined;
  /** Seconds from one checkpoint to the next. */
  readonly seconds?: number | undefined;
  /** Records from one checkpoint to the next. */
  readonly records?: number | undefined;
  /** What the run is at that moment, to be compared when it is gone on with. */
  readonly config: () => Readonly<Record<string, unknown>>;
  readonly output: ResumableFile;
  readonly onWritten?: ((name: string) => void) | undefined;
}

/** The state that a checkpoint of a tagging run holds. */
export function taggingStateOf(parts: CheckpointParts): TaggingState {
  return parts.run!.json.tagging as TaggingState;
}

/**
 * Writes checkpoints of a run that only tags: how far its input is done, and how long its output file was
 * then. Input, output and dead letters of a run that goes on from one are the same, to the byte, as if it
 * had never stopped.
 */
export class TaggingProgress {
  readonly #options: ProgressOptions;
  readonly #store: FileCheckpointStore;
  #position: Position | null;
  #records = 0;
  #since = Date.now();

  /** @param before the state that the run goes on from */
  constructor(options: ProgressOptions, before?: TaggingState) {
    this.#options = options;
    this.#store = new FileCheckpointStore(options.directory, { keep: options.keep });
    this.#position = before?.position ?? null;
  }

  /** All records up to this one are done: for the source to call. */
  acknowledged(position: Position): void {
    this.#position = position;
  }

  /** So many records more are with the output: for the sink to call. */
  written(records: number): void {
    this.#records += records;
    const { seconds = Number.POSITIVE_INFINITY, records: every = Number.POSITIVE_INFINITY } =
      this.#options;
    if (this.#records >= every || Date.now() - this.#since >= seconds * 1000) this.write();
  }

  /** Writes a checkpoint. The output is on the disk before. */
  write(): void {
    const { config, output, onWritten } = this.#options;
    output.sync();
    const tagging: TaggingState = { position: this.#position, outputBytes: output.bytes };
    const name = this.#store.write({ run: { json: { config: config(), tagging }, arrays: {} } });
    this.#records = 0;
    this.#since = Date.now();
    onWritten?.(name);
  }
}
