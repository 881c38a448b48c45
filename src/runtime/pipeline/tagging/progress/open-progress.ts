import { join } from 'node:path';
import { Deadline } from '../../../../engine/core/deadline.js';
import type { Position } from '../../../../engine/core/delivery/delivery.js';
import type { RunStatus } from '../../../../engine/core/run-status.js';
import { withoutSecrets } from '../../../../engine/core/secrets.js';
import type { CheckpointParts, CheckpointStore } from '../../../../engine/core/training/state.js';
import {
  inputFingerprint,
  requireSameInput,
} from '../../../../formats/reading/input-fingerprint.js';
import { readsOnce } from '../../../../formats/reading/read-bytes.js';
import { inFlightName, outputNoteName } from '../../../io/checkpoints/directory.js';
import { FileCheckpointStore, readWhole } from '../../../io/checkpoints/file-checkpoint-store.js';
import { NoteFile } from '../../../io/checkpoints/note-file.js';
import type { DeadLetters } from '../../../io/dead-letters/dead-letters.js';
import { recordKey } from '../../../io/dead-letters/rejected-record.js';
import type { WriteHooks } from '../../../io/document-sink.js';
import type { FileLock } from '../../../io/locks/file-lock.js';
import { InFlightNote } from '../../../io/sources/in-flight-note.js';
import { resumePosition } from '../../../io/sources/resume-position.js';
import type { Output } from '../../../io/writing/open-output.js';
import type { OutputState } from '../../../io/writing/output-place.js';
import { type OutputRotation, ResumableFile } from '../../../io/writing/resumable-file.js';
import type { RunEvents } from '../../definition/events.js';
import { countedCheckpoints, noteAnew } from '../../setup/checkpoints.js';
import { type ComparedSettings, refuseChanges } from '../../setup/restore-run.js';
import { KeptWhenStopped } from './kept-when-stopped.js';

/** A tagging run whose progress is recorded. */
export interface ProgressGiven extends Omit<ProgressOptions, 'output' | 'store'> {
  /** The folder of the checkpoints. */
  readonly directory: string;
  /** The lock of the directory. */
  readonly lock: FileLock;
  readonly keep?: number | undefined;
  /** Inputs, in order. */
  readonly inputs: readonly string[];
  /** The end of each output record, if known. */
  readonly recordEnd: string | undefined;
  /** The file of tagged records. */
  readonly file: string;
  /** When an output file is closed and the next one begins. */
  readonly rotation?: OutputRotation | undefined;
  /** Whether to continue from the newest checkpoint, if there is one. */
  readonly resume: boolean;
  readonly mayChange: ComparedSettings['mayChange'];
  readonly deadLetters: DeadLetters;
  readonly status?: RunStatus | undefined;
  /** Returns whether the run was ended before the end of its input. */
  readonly isStopped: () => boolean;
  readonly events?:
    | Pick<RunEvents, 'onDamagedCheckpoint' | 'onResumeAfter' | 'onKept' | 'onMoved' | 'onAnew'>
    | undefined;
}

/** The parts that a source and a sink need so that the run can be resumed. */
export interface OpenProgress {
  /** The file with the newest records until the run ends. */
  readonly file: string;
  readonly output: Output;
  readonly reading: {
    readonly resumeAfter: Position | undefined;
    readonly onAcknowledged: (position: Position) => void;
    readonly inFlight: InFlightNote;
  };
  readonly hooks: WriteHooks;
}

/**
 * Opens the output of a tagging run with checkpoints, and determines where it resumes. A run that starts from scratch
 * writes a checkpoint at once, so that no run ever resumes from an earlier run's checkpoint.
 *
 * @throws TagstreamError `checkpoint` if no checkpoint is whole, or it belongs to another run or input; `config` or
 *   `file` for an output that cannot be resumed
 */
export async function openProgress(given: ProgressGiven): Promise<OpenProgress> {
  const { directory, lock, keep, inputs, recordEnd, file, rotation, resume, ...more } = given;
  const { isStopped, events, status, mayChange, ...options } = more;
  const parts = resume ? readWhole(directory, events?.onDamagedCheckpoint) : undefined;
  if (!resume) noteAnew(directory, events);
  if (parts !== undefined) {
    const compared = { settings: options.config(), decides: 'the results', mayChange };
    refuseChanges(parts.run?.json.config, compared, directory);
  }
  const before = parts === undefined ? undefined : taggingStateOf(parts);
  const position = before?.position ?? undefined;
  const resumeAfter = resumePosition(position);
  if (resumeAfter !== undefined) requireSameInput(resumeAfter, before!.fingerprint ?? undefined);
  if (before !== undefined) events?.onResumeAfter?.(resumeAfter);
  if (resume) await given.deadLetters.resumeAfter(inputs, position);
  // A pipe cannot be read again: results after the checkpoint stay.
  const isGone = before !== undefined && readsOnce(position?.source ?? inputs[0] ?? '-');
  const output = new ResumableFile(file, {
    from: before && { bytes: before.outputBytes, ...before.outputFile },
    ...{ recordEnd, keepsTail: isGone, rotation },
    notes: new NoteFile(join(directory, outputNoteName), lock, true),
    onMoved: events?.onMoved,
  });
  const { kept } = output;
  if (kept > 0) events?.onKept?.(kept);
  const files = new FileCheckpointStore(directory, { keep, lock });
  const store = status === undefined ? files : countedCheckpoints(files, status);
  const progress = new TaggingProgress({ ...options, store, output }, before);
  // Positions of a pipe restart in each process; the length of the output distinguishes two
  // positions.
  const after = position && `${recordKey(position)} ${output.total}`;
  let inFlight: InFlightNote;
  try {
    if (before === undefined || kept > 0) progress.write();
    inFlight = new InFlightNote(join(directory, inFlightName), after, lock);
  } catch (thrown) {
    await output.abort();
    throw thrown;
  }
  const held = new KeptWhenStopped(output, {
    isStopped,
    beforeEnd: () => progress.write(),
    onEnd: () => {
      progress.end();
      inFlight.clear();
    },
  });
  return {
    get file() {
      return output.part;
    },
    output: held,
    reading: { resumeAfter, onAcknowledged: done => progress.acknowledged(done), inFlight },
    hooks: {
      // If records are processed one by one, each is noted, so that the next run begins with the record that killed
      // this run.
      onWritten: records => (inFlight.alone ? progress.write() : progress.written(records)),
    },
  };
}

/** The progress of a tagging run when its checkpoint was written. */
interface TaggingState {
  /** Position of the last finished record; null before the first. */
  readonly position: Position | null;
  /** Fingerprint of the input before this position. */
  readonly fingerprint: string | null;
  /** Number of bytes of the output file with the results of the finished records. */
  readonly outputBytes: number;
  /** Identity of that file; absent in checkpoints of older versions. */
  readonly outputFile?: Omit<OutputState, 'bytes'> | undefined;
}

/** The place and frequency of recording progress. */
interface ProgressOptions {
  readonly store: CheckpointStore;
  /** Number of seconds between checkpoints. */
  readonly seconds?: number | undefined;
  /** Number of records between checkpoints. */
  readonly records?: number | undefined;
  /** Returns the run's current identity, which is compared when it is resumed. */
  readonly config: () => Readonly<Record<string, unknown>>;
  readonly output: ResumableFile;
}

/** Returns the state in a checkpoint of a tagging run. */
function taggingStateOf(parts: CheckpointParts): TaggingState {
  return parts.run!.json.tagging as TaggingState;
}

/**
 * Writes checkpoints of a run that only tags: the position up to which its input is processed, and the length of its
 * output file at that point. The output of a resumed run is byte for byte the same as if it had never stopped.
 */
class TaggingProgress {
  readonly #options: ProgressOptions;
  #position: Position | null;
  #records = 0;
  readonly #deadline: Deadline;

  /** @param before state from which the run resumes */
  constructor(options: ProgressOptions, before?: TaggingState) {
    this.#options = options;
    this.#position = before?.position ?? null;
    this.#deadline = new Deadline(options.seconds, () => {
      try {
        this.write();
      } catch {
        // A failed write is reported when the next record is written, which finds the time over.
      }
    });
  }

  /** Notes that all records up to a position are done; called by the source. */
  acknowledged(position: Position): void {
    this.#position = position;
    this.#deadline.watch();
  }

  /** Notes that further records were passed to the output; called by the sink. */
  written(records: number): void {
    this.#records += records;
    const { records: every = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#records >= every || this.#deadline.isOver) this.write();
  }

  /** Ends the run: nothing more is written. */
  end(): void {
    this.#deadline.stop();
  }

  /** Writes a checkpoint, after flushing the output to disk. */
  write(): void {
    const { config, output, store } = this.#options;
    this.#deadline.stop();
    output.sync();
    const position = this.#position;
    const fingerprint = position === null ? null : (inputFingerprint(position) ?? null);
    const { bytes: outputBytes, ...outputFile } = output.state;
    const tagging: TaggingState = { position, fingerprint, outputBytes, outputFile };
    store.write({ run: { json: { config: withoutSecrets(config()), tagging }, arrays: {} } });
    this.#records = 0;
    this.#deadline.restart();
  }
}
