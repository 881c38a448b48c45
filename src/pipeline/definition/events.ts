import type { Position } from '../../core/delivery/delivery.js';
import type { TagstreamError } from '../../core/errors.js';
import type { QuestionStatus } from '../../core/run-status.js';
import type { DetailedScores } from '../../core/training/detailed-scores.js';
import type { Scores, TrainingStep } from '../../core/training/training-step.js';
import type { RegisteredVersion } from '../../io/nats/registry/entries.js';
import type { DriftWarning } from '../../metrics/drift-watch.js';
import type { DecayedSummary } from '../../metrics/scores/decayed-scores.js';
import type { ChampionChange } from '../../models/learning/contest.js';
import type { TakenWeights } from '../../models/start/add-weights.js';

/**
 * Possible faults of the data: the same file is read to train and to score; held-out sentences are in the training data; spans
 * begin in ways their scheme forbids; records have unrelated fields where results would go; tags of spans are in an unknown
 * notation; clusters or vectors do not match the words; a question is too large to be sent; no pass has lowered the loss.
 */
export type DataWarning =
  | 'same-file'
  | 'shared-sentences'
  | 'span-openings'
  | 'foreign-fields'
  | 'tag-form'
  | 'list-match'
  | 'unsent-question'
  | 'no-progress';

/** Callbacks for what a running pipeline reports; all are optional. */
export interface RunEvents {
  /** The corpus has been read: its sentences. */
  readonly onCorpus?: (sentences: number) => void;
  /** A first model is about to be trained, each time on the corpus without one part, the last time on all of it. */
  readonly onFirstModel?: (file: string, number: number, of: number) => void;
  /** A further part of the model is about to be trained, as the column "feats". */
  readonly onPart?: (part: string) => void;
  /** Training starts from the weights of a file: how many of those it has. */
  readonly onStart?: (file: string, weights: TakenWeights) => void;
  /** Another coordinator runs the same training on many machines; this one waits to take over. */
  readonly onClusterWait?: () => void;
  /** After each training step. */
  readonly onStep?: (step: TrainingStep) => void;
  /** Progressive scores, at the interval of `report`. */
  readonly onProgress?: (
    step: TrainingStep,
    sinceStart: Scores,
    inWindow: Scores,
    decayed: DecayedSummary,
    details: DetailedScores,
  ) => void;
  /** Another learner answers from the next sentence on. */
  readonly onChampion?: (change: ChampionChange) => void;
  /** A model has been pushed to the registry, and its alias points to it. */
  readonly onDeployed?: (address: string, version: RegisteredVersion) => void;
  /** A model could not be deployed; it will be retried. */
  readonly onDeployFailed?: (address: string, error: TagstreamError) => void;
  /** The estimate from records drawn at random, after every 50 answers. */
  readonly onEstimates?: (questions: QuestionStatus) => void;
  /**
   * The model may have deteriorated, once for each episode, or the data is not what it should be.
   */
  readonly onWarning?: (code: DriftWarning['code'] | DataWarning, message: string) => void;
  /** The model has reached the size limit of a stream, and this many features were evicted. */
  readonly onEvicted?: (features: number) => void;
  /** A checkpoint has been written. */
  readonly onCheckpoint?: (name: string, step: TrainingStep) => void;
  /** A checkpoint was damaged and skipped. */
  readonly onDamagedCheckpoint?: (name: string, error: Error) => void;
  /** The model of a tagging pipeline has been reloaded. */
  readonly onReloaded?: () => void;
  /** A reloaded model is bad, and the old one stays. */
  readonly onReloadRefused?: (error: unknown) => void;
  /** The version of a registry's model with which the run begins, and each promoted one that it is about to load. */
  readonly onModelVersion?: (address: string, version: RegisteredVersion) => void;
  /** A promoted version cannot be loaded, or fails the checks of the pipeline; the old one stays. */
  readonly onVersionRefused?: (address: string, version: RegisteredVersion, error: unknown) => void;
  /** The run resumes from a checkpoint of a training. */
  readonly onResume?: (sentencesSeen: number) => void;
  /** A run that only tags resumes from a checkpoint: after a record of its input, or from its beginning. */
  readonly onResumeAfter?: (position: Position | undefined) => void;
  /**
   * This many bytes of results after the checkpoint are kept, because their records came from a pipe, which cannot be read again.
   */
  readonly onKept?: (bytes: number) => void;
  /** The current output file was moved away, truncated or deleted since the checkpoint: where its content is, if found. */
  readonly onMoved?: (part: string, found: string | undefined) => void;
  /** The run does not resume, although its folder has checkpoints of an earlier run: the newest of these. */
  readonly onAnew?: (directory: string, newest: string) => void;
}
