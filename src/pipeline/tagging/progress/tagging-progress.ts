import type { Position } from '../../../core/delivery/delivery.js';
import { withoutSecrets } from '../../../core/secrets.js';
import type { CheckpointParts, CheckpointStore } from '../../../core/training/checkpoint-store.js';
import { inputFingerprint } from '../../../io/reading/input-fingerprint.js';
import type { OutputState } from '../../../io/writing/output-place.js';
import type { ResumableFile } from '../../../io/writing/resumable-file.js';

/** How far a tagging run had come when its checkpoint was written. */
export interface TaggingState {
  /** The last record of all those that are done; null before the first. */
  readonly position: Position | null;
  /** Of the input before this position. */
  readonly fingerprint: string | null;
  /** Bytes of the output file that hold the results of these records. */
  readonly outputBytes: number;
  /** Which file that is; absent in checkpoints of older versions. */
  readonly outputFile?: Omit<OutputState, 'bytes'> | undefined;
}

/** Where and how often progress is written down. */
export interface ProgressOptions {
  readonly store: CheckpointStore;
  /** Seconds from one checkpoint to the next. */
  readonly seconds?: number | undefined;
  /** Records from one checkpoint to the next. */
  readonly records?: number | undefined;
  /** What the run is at that moment, to be compared when it is resumed. */
  readonly config: () => Readonly<Record<string, unknown>>;
  readonly output: ResumableFile;
}

/** The state that a checkpoint of a tagging run holds. */
export function taggingStateOf(parts: CheckpointParts): TaggingState {
  return parts.run!.json.tagging as TaggingState;
}

/**
 * Writes checkpoints of a run that only tags: how far its input is done, and how long its output file was
 * then. The output of a run that resumes from one is the same, to the byte, as if it had never stopped.
 */
export class TaggingProgress {
  readonly #options: ProgressOptions;
  #position: Position | null;
  #records = 0;
  #since = Date.now();

  /** @param before the state that the run resumes from */
  constructor(options: ProgressOptions, before?: TaggingState) {
    this.#options = options;
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
    const { config, output, store } = this.#options;
    output.sync();
    const position = this.#position;
    const fingerprint = position === null ? null : (inputFingerprint(position) ?? null);
    const { bytes: outputBytes, ...outputFile } = output.state;
    const tagging: TaggingState = { position, fingerprint, outputBytes, outputFile };
    store.write({ run: { json: { config: withoutSecrets(config()), tagging }, arrays: {} } });
    this.#records = 0;
    this.#since = Date.now();
  }
}
