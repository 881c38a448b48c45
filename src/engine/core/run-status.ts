import type { ErrorCode } from './errors.js';
import type { Figure } from './figures.js';
import type { DetailedScores } from './training/detailed-scores.js';
import type { Scores } from './training/training-step.js';

/**
 * A histogram of durations by upper bound; an observation costs one addition.
 *
 * @example
 * const durations = new Durations([0.1, 1]);
 * for (const seconds of [0.05, 0.1, 3]) durations.add(seconds);
 * durations.counts // => [2, 0, 1]
 * [durations.count, durations.sum] // => [3, 3.15]
 */
export class Durations {
  /** Upper bounds in seconds, ascending. */
  readonly bounds: readonly number[];
  /**
   * Number of durations above the previous bound and up to this one; the last entry counts those
   * above all bounds.
   */
  readonly counts: number[];
  count = 0;
  /** Sum of the durations, in seconds. */
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

/**
 * Items that were read and not yet released, and the time for which reading has waited for them.
 */
export interface InFlight {
  readonly items: number;
  readonly bytes: number;
  readonly waitedMilliseconds: number;
}

/** Number of messages not yet delivered, delivered but not acknowledged, and redelivered. */
export interface MessagesOnTheWay {
  readonly waiting?: number | undefined;
  readonly inFlight?: number | undefined;
  readonly redelivered?: number | undefined;
}

/** Counts of records that could not be read or processed. */
export interface BadRecordCounts {
  readonly counts: Readonly<Partial<Record<ErrorCode, number>>>;
  /** Number of records kept as dead letters. */
  readonly kept: number;
  /** Last few bad records per error code. */
  readonly samples?: readonly RejectedSample[] | undefined;
}

/** A record that could not be read or processed, for display. */
export interface RejectedSample {
  readonly code: ErrorCode;
  /** Problem and place. */
  readonly message: string;
  /** Likely fix. */
  readonly fix?: string | undefined;
  /** Beginning of the record. */
  readonly raw: string;
}

/** Counts of labels that arrived after their records, and of records that wait for labels. */
export interface LabelCounts {
  /** Number of labels joined with their records. */
  readonly joined: number;
  /** Number of labels that repeat what earlier labels of their record say. */
  readonly doubled: number;
  /** Number of labels that give a token another tag than an earlier label; the earlier one counts. */
  readonly contradicted: number;
  /** Ids of the records of the last 20 of them. */
  readonly contradictions: readonly string[];
  /** Number of labels whose id matches no waiting record. */
  readonly unmatched: number;
  /** Number of records that expired before a label arrived. */
  readonly expired: number;
  /** Number of records still waiting. */
  readonly waiting: number;
}

/** Counts of requested labels and of answers. */
export interface QuestionCounts {
  /** Number of tokens in unlabelled records. */
  readonly tokens: number;
  /** Number of tokens that were asked about. */
  readonly asked: number;
  /** Number of asked tokens in randomly drawn records. */
  readonly drawn: number;
  /** Number of drawn records with an id, and number of those that are completely labelled. */
  readonly sampled: number;
  readonly answered: number;
}

/** A score in percent with its 95 % interval; null if undefined. */
export interface ScoreInterval {
  readonly score: Figure;
  readonly low: Figure;
  readonly high: Figure;
}

/** An estimate for all records from a random sample. */
export interface SampleEstimate {
  /** Number of records in the sample; for recent scores, the sum of their weights. */
  readonly records: number;
  readonly tokens: number;
  readonly accuracy: ScoreInterval;
  /** Span F1; present if tags mark spans. */
  readonly f1?: ScoreInterval;
}

/** Estimated scores of the tags given to unlabelled records, from the answered records of a random sample. */
export interface SampledEstimates {
  readonly all: SampleEstimate;
  /** Estimate with decay: the weight of a record halves after 100 further records of the sample. */
  readonly recent: SampleEstimate;
}

/** State of a run's questions. */
export interface QuestionStatus extends QuestionCounts {
  /** Estimated scores; present from the second answered record on. */
  readonly estimates?: SampledEstimates | undefined;
}

/** Progress of one annotator. */
export interface AnnotatorCounts {
  /** Annotator name; undefined for a single annotator. */
  readonly name: string | undefined;
  readonly accepted: number;
  /** Corrections per record, over the most recent ones. */
  readonly corrections: number;
  /** Score of the model before each answer, in percent. */
  readonly score: number | undefined;
}

/** Counts of the deployments of a run's models. */
export interface DeploymentCounts {
  /** Address as `NAME@ALIAS`. */
  readonly address: string;
  readonly deployed: number;
  /** Number of failed attempts; each is retried. */
  readonly failures: number;
  /** Version that this run deployed last. */
  readonly version?: { readonly number: number; readonly digest: string } | undefined;
  /** The last comparison with the deployed model, on a stream; absent while none is deployed. */
  readonly comparison?: DeploymentComparison | undefined;
}

/** A model that a run could deploy beside the deployed one, on the same recent labelled records. */
export interface DeploymentComparison {
  /** Number of labelled sentences that have to be compared. */
  readonly required: number;
  /** Number of labelled sentences compared: the last ones, at most `required`. */
  readonly records: number;
  /** Number of their tokens with a known tag. */
  readonly tokens: number;
  /** Number of these tokens that the run's model tagged wrongly, before it learned from them. */
  readonly errors: number;
  /** Number of these tokens that the deployed model tagged wrongly. */
  readonly deployedErrors: number;
}

/** Counts of detected drift in a stream, and of the responses. */
export interface DriftCounts {
  /** Number of drift signals by code. */
  readonly signs: Readonly<Record<string, number>>;
  /** Number of times that the learner was reset or its step sizes restarted. */
  readonly restarts: number;
  /** Number of shadow learners started, and number of those that have taken over. */
  readonly shadows: number;
  readonly takeovers: number;
}

/** Scores of predictions made before the sentence was learned from. */
export interface ProgressiveResults {
  readonly all: Scores;
  /** Scores over the last sentences. */
  readonly recent: Scores;
}

/** Scores of the learners in a contest, and number of champion changes. */
export interface ContestStatus {
  readonly switches: number;
  readonly standings: readonly Standing[];
}

/** Scores of a learner in a contest, in percent; null before a token is scored. */
export interface Standing {
  readonly name: string;
  readonly isChampion: boolean;
  /** Share of tokens tagged correctly before the learner was updated with them. */
  readonly accuracy: Figure;
  /** Accuracy with decay: the weight of a sentence halves after 1,000 further ones. */
  readonly recent: Figure;
}

/**
 * Phase of a run: `starting` until the model is loaded, `draining` once the run was asked to stop.
 */
export type RunPhase = 'starting' | 'running' | 'draining';

/** Bounds of batch durations, from 0.1 ms to 10 s. */
const batchBounds = [1e-4, 2.5e-4, 1e-3, 2.5e-3, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10];

/**
 * The observable state of a run: plain data that the run's parts update at the cost of an addition,
 * and that observers read on demand. Fields that do not apply to a run are undefined.
 *
 * What checkpoints hold is a total, also after a resume: `sentencesSeen`, `passes`, `labels`, `questions`, `drift`,
 * `contest` and all scores. All other counts are those of this process, since the start or the resume.
 *
 * @example
 * const status = new RunStatus();
 * status.phase // => 'starting'
 * status.begin();
 * [status.phase, status.recordsIn] // => ['running', 0]
 */
export class RunStatus {
  phase: RunPhase = 'starting';
  /** Reason why the run is stalled; undefined if it is not. */
  stall: string | undefined;
  /** Number of records read, including bad ones. */
  recordsIn = 0;
  /** Number of records that the output has accepted. */
  recordsOut = 0;
  badRecords: BadRecordCounts | undefined;
  gate: InFlight | undefined;
  /** Returns the number of input bytes still to be read; undefined for pipes. */
  sourceLag: (() => number | undefined) | undefined;
  /** Returns the messages in flight; undefined unless the source is a message source. */
  sourceMessages: (() => MessagesOnTheWay | undefined) | undefined;
  /** Latencies of minibatches through all stages after `batch`. */
  readonly batches = new Durations(batchBounds);
  /**
   * Time of the last checkpoint, or of the start of a run that writes checkpoints, in milliseconds
   * since the epoch.
   */
  checkpointedAt: number | undefined;
  checkpoints = 0;
  checkpointFailures = 0;
  /** Number of labelled sentences learned from. */
  sentencesSeen: number | undefined;
  /** Mean loss per token. */
  meanLoss: number | undefined;
  /** Number of completed passes through the corpus. */
  passes: number | undefined;
  /** Objective of a batch optimizer after its last iteration. */
  objective: number | undefined;
  /** Latest scores on held-out data. */
  heldOut: Scores | undefined;
  /** Returns detected drift and the responses, if a stream is watched. */
  drift?: (() => DriftCounts) | undefined;
  progress: (() => ProgressiveResults) | undefined;
  /** Returns counts of labels that arrive after their records. */
  labels: (() => LabelCounts) | undefined;
  /** Returns the state of the questions, for a stream that asks for labels. */
  questions: (() => QuestionStatus) | undefined;
  /** Returns counts of deployments, for a run that deploys its models. */
  deployment: (() => DeploymentCounts) | undefined;
  /** Returns details of the recent scores. */
  details: (() => DetailedScores) | undefined;
  /** Returns the state of the contest, if several learners share the stream. */
  contest: (() => ContestStatus) | undefined;
  /** Number of tasks done by a worker of a cluster, and their seconds. */
  tasks: { readonly done: number; readonly seconds: number } | undefined;
  /** Number of finished runs of a study, and number of all. */
  studyRuns: { readonly done: number; readonly total: number } | undefined;
  /** Returns the annotators' progress. */
  annotators: (() => readonly AnnotatorCounts[]) | undefined;
  /**
   * Digest of the model file that tags or was written: `sha256:` followed by hexadecimal digits.
   */
  modelDigest: string | undefined;

  /**
   * Starts a training, not necessarily the run's first, and resets the figures of the previous one.
   */
  beginTraining(): void {
    this.sentencesSeen = undefined;
    this.meanLoss = undefined;
    this.passes = undefined;
    this.objective = undefined;
    this.heldOut = undefined;
  }

  /** Marks the model as loaded and reading as started; a draining run remains draining. */
  begin(): void {
    if (this.phase === 'starting') this.phase = 'running';
  }
}
