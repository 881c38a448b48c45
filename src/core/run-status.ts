import { Durations } from './durations.js';
import type { ErrorCode } from './errors.js';
import type { Scores } from './training/training-step.js';

/** Items that were read and not yet released, and how long reading has waited for them. */
export interface InFlight {
  readonly items: number;
  readonly bytes: number;
  readonly waitedMilliseconds: number;
}

/** Messages that are still to come, those here that are not acknowledged, and those that came once more. */
export interface MessagesOnTheWay {
  readonly waiting?: number | undefined;
  readonly inFlight?: number | undefined;
  readonly redelivered?: number | undefined;
}

/** Records that could not be read or processed. */
export interface BadRecordCounts {
  readonly counts: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Those of them that were kept as dead letters. */
  readonly kept: number;
}

/** Scores of predictions made before the sentence was learned from. */
export interface ProgressiveResults {
  readonly all: Scores;
  /** Over the last sentences. */
  readonly recent: Scores;
}

/** `starting` until the model is loaded; `draining` once the run was asked to end. */
export type RunPhase = 'starting' | 'running' | 'draining';

/** From 0.1 ms to 10 s. */
const batchBounds = [1e-4, 2.5e-4, 1e-3, 2.5e-3, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10];

/**
 * The observable state of a run: plain data that the parts of the run update at the cost of an addition, and
 * that observers read on demand. Fields that do not apply to a run are undefined.
 *
 * @example
 * const status = new RunStatus();
 * status.phase // => 'starting'
 * status.begin();
 * [status.phase, status.recordsIn] // => ['running', 0]
 */
export class RunStatus {
  phase: RunPhase = 'starting';
  /** Why the run is stalled, as long as it is. */
  stall: string | undefined;
  /** Records read, the bad ones among them. */
  recordsIn = 0;
  /** Records that the output has taken. */
  recordsOut = 0;
  badRecords: BadRecordCounts | undefined;
  gate: InFlight | undefined;
  /** Bytes of the input that are still to be read; the function gives nothing for pipes. */
  sourceLag: (() => number | undefined) | undefined;
  /** Messages on their way to the run; the function gives nothing where the source brings none. */
  sourceMessages: (() => MessagesOnTheWay | undefined) | undefined;
  /** Of minibatches: their way through all stages after `batch`. */
  readonly batches = new Durations(batchBounds);
  /** When the last checkpoint was written, or the run began that writes some; milliseconds of `Date`. */
  checkpointedAt: number | undefined;
  checkpoints = 0;
  checkpointFailures = 0;
  /** Labelled sentences learned from. */
  sentencesSeen: number | undefined;
  /** Mean loss per token. */
  meanLoss: number | undefined;
  progress: (() => ProgressiveResults) | undefined;
  /** Of the model file that tags or was written: `sha256:` and hexadecimal digits. */
  modelDigest: string | undefined;

  /** The model is loaded and reading begins; one that is draining already stays so. */
  begin(): void {
    if (this.phase === 'starting') this.phase = 'running';
  }
}
