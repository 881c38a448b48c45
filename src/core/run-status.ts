import type { ErrorCode } from './errors.js';
import type { DetailedScores } from './training/detailed-scores.js';
import type { Scores } from './training/training-step.js';

/**
 * A histogram of durations by upper bounds; each observation costs one addition.
 *
 * @example
 * const durations = new Durations([0.1, 1]);
 * for (const seconds of [0.05, 0.1, 3]) durations.add(seconds);
 * durations.counts // => [2, 0, 1]
 * [durations.count, durations.sum] // => [3, 3.15]
 */
export class Durations {
  /** In seconds, ascending. */
  readonly bounds: readonly number[];
  /**
   * Number of durations above the previous bound and up to this one; the last entry counts those
   * above all bounds.
   */
  readonly counts: number[];
  count = 0;
  /** In seconds. */
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  add(seconds: number): void {
    let at = 0;
    while (at < this.bounds.length && seconds > this.bounds[at]!) at += 1;
    this.counts[at]! += 1;
    this.count += 1;
    this.sum += seconds;
  }
}

/** Items that were read and not yet released, and how long reading has waited for them. */
export interface InFlight {
  readonly items: number;
  readonly bytes: number;
  readonly waitedMilliseconds: number;
}

/** Messages not yet delivered, delivered but not acknowledged, and redelivered. */
export interface MessagesOnTheWay {
  readonly waiting?: number | undefined;
  readonly inFlight?: number | undefined;
  readonly redelivered?: number | undefined;
}

/** Records that could not be read or processed. */
export interface BadRecordCounts {
  readonly counts: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Number of them kept as dead letters. */
  readonly kept: number;
  /** The last few per error code. */
  readonly samples?: readonly RejectedSample[] | undefined;
}

/** A record that could not be read or processed, for display. */
export interface RejectedSample {
  readonly code: ErrorCode;
  /** The problem, and its place. */
  readonly message: string;
  /** The likely fix. */
  readonly fix?: string | undefined;
  /** The beginning of the record. */
  readonly raw: string;
}

/** Counts of labels that arrived later, and of the records that wait for labels. */
export interface LabelCounts {
  /** Labels that were joined with their records. */
  readonly joined: number;
  /** Labels that add nothing new to their record. */
  readonly doubled: number;
  /** Labels whose id matches no waiting record. */
  readonly unmatched: number;
  /** Records that expired before a label came. */
  readonly expired: number;
  /** Records still waiting. */
  readonly waiting: number;
}

/** Counts of requested labels and of the answers. */
export interface QuestionCounts {
  /** Tokens of unlabelled records. */
  readonly tokens: number;
  /** Tokens that were asked about. */
  readonly asked: number;
  /** Those in randomly drawn records. */
  readonly drawn: number;
  /** Drawn records with an id, and how many of them are completely labelled. */
  readonly sampled: number;
  readonly answered: number;
}

/** A score in percent with its 95 % interval. */
export interface ScoreInterval {
  readonly score: number;
  readonly low: number;
  readonly high: number;
}

/** An estimate for all records from a random sample. */
export interface SampleEstimate {
  /** Records of the sample; for recent scores, the sum of their weights. */
  readonly records: number;
  readonly tokens: number;
  readonly accuracy: ScoreInterval;
  /** Present if tags mark spans. */
  readonly f1?: ScoreInterval;
}

/** Estimated scores of the tags given to unlabelled records, from the answered records of a random sample. */
export interface SampledEstimates {
  readonly all: SampleEstimate;
  /** The same with decay: a record of the sample counts half after 100 further ones. */
  readonly recent: SampleEstimate;
}

/** The questions of a run. */
export interface QuestionStatus extends QuestionCounts {
  /** From the second answered record on. */
  readonly estimates?: SampledEstimates | undefined;
}

/** The progress of one annotator. */
export interface AnnotatorCounts {
  /** Undefined for a single annotator. */
  readonly name: string | undefined;
  readonly accepted: number;
  /** Per record, over the most recent ones. */
  readonly corrections: number;
  /** Score of the model before each answer, in percent. */
  readonly score: number | undefined;
}

/** Counts of the models that a run deploys. */
export interface DeploymentCounts {
  /** `NAME@ALIAS`. */
  readonly address: string;
  readonly deployed: number;
  /** Failed attempts; each is retried. */
  readonly failures: number;
  /** The version that this run deployed last. */
  readonly version?: { readonly number: number; readonly digest: string } | undefined;
}

/** Detected drift in a stream, and the responses. */
export interface DriftCounts {
  /** Drift signals by code. */
  readonly signs: Readonly<Record<string, number>>;
  /** How often the learner was reset or its step sizes restarted. */
  readonly restarts: number;
  /** Shadow learners started, and those that have taken over. */
  readonly shadows: number;
  readonly takeovers: number;
}

/** Scores of predictions made before the sentence was learned from. */
export interface ProgressiveResults {
  readonly all: Scores;
  /** Over the last sentences. */
  readonly recent: Scores;
}

/** The scores of the learners in a contest, and the number of champion changes. */
export interface ContestStatus {
  readonly switches: number;
  readonly standings: readonly Standing[];
}

/** The scores of a learner in a contest, in percent; 0 before a token is scored. */
export interface Standing {
  readonly name: string;
  readonly isChampion: boolean;
  /** Tokens tagged correctly before the learner was updated with them. */
  readonly accuracy: number;
  /** The same with decay: a sentence counts half after 1,000 further ones. */
  readonly recent: number;
}

/** `starting` until the model is loaded; `draining` once the run was asked to stop. */
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
  /** Why the run is stalled, while it is. */
  stall: string | undefined;
  /** Records read, including bad ones. */
  recordsIn = 0;
  /** Records that the output has accepted. */
  recordsOut = 0;
  badRecords: BadRecordCounts | undefined;
  gate: InFlight | undefined;
  /** Returns the bytes of input still to be read; undefined for pipes. */
  sourceLag: (() => number | undefined) | undefined;
  /** Returns the messages in flight; undefined unless the source is one of messages. */
  sourceMessages: (() => MessagesOnTheWay | undefined) | undefined;
  /** Latency of minibatches through all stages after `batch`. */
  readonly batches = new Durations(batchBounds);
  /**
   * Time of the last checkpoint, or of the start of a run that writes checkpoints; milliseconds since
   * the epoch.
   */
  checkpointedAt: number | undefined;
  checkpoints = 0;
  checkpointFailures = 0;
  /** Labelled sentences learned from. */
  sentencesSeen: number | undefined;
  /** Mean loss per token. */
  meanLoss: number | undefined;
  /** Completed passes over the corpus. */
  passes: number | undefined;
  /** The objective of a batch optimizer after its last iteration. */
  objective: number | undefined;
  /** The latest scores on held-out data. */
  heldOut: Scores | undefined;
  /** Detected drift and the responses, if a stream is watched. */
  drift?: (() => DriftCounts) | undefined;
  progress: (() => ProgressiveResults) | undefined;
  /** Counts of labels that arrive after their records. */
  labels: (() => LabelCounts) | undefined;
  /** Counts of questions, for a stream that asks for labels. */
  questions: (() => QuestionStatus) | undefined;
  /** Counts of deployments, for a run that deploys its models. */
  deployment: (() => DeploymentCounts) | undefined;
  /** Details of the recent scores. */
  details: (() => DetailedScores) | undefined;
  /** The contest, if several learners share the stream. */
  contest: (() => ContestStatus) | undefined;
  /** Tasks done by a worker of a cluster. */
  tasks: { readonly done: number; readonly seconds: number } | undefined;
  /** Finished runs of a study. */
  studyRuns: { readonly done: number; readonly total: number } | undefined;
  /** Progress of the annotators. */
  annotators: (() => readonly AnnotatorCounts[]) | undefined;
  /** Digest of the model file that tags or was written: `sha256:` and hexadecimal digits. */
  modelDigest: string | undefined;

  /** Starts a training, not necessarily the run's first: resets the figures of the previous one. */
  beginTraining(): void {
    this.sentencesSeen = undefined;
    this.meanLoss = undefined;
    this.passes = undefined;
    this.objective = undefined;
    this.heldOut = undefined;
  }

  /** Marks the model as loaded and reading as started; a draining run stays draining. */
  begin(): void {
    if (this.phase === 'starting') this.phase = 'running';
  }
}
