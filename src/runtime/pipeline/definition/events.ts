import type { Position } from '../../../engine/core/delivery/delivery.js';
import type { TagstreamError } from '../../../engine/core/errors.js';
import type { DeploymentComparison, QuestionStatus } from '../../../engine/core/run-status.js';
import type { DetailedScores } from '../../../engine/core/training/detailed-scores.js';
import type { Scores, TrainingStep } from '../../../engine/core/training/training-step.js';
import type { RegisteredVersion } from '../../../engine/interfaces/registered-models.js';
import type { DriftWarning } from '../../../engine/metrics/drift-watch.js';
import type { DecayedSummary } from '../../../engine/metrics/scores/decayed-scores.js';
import type { ChampionChange } from '../../../engine/models/learning/contest.js';
import type { TakenWeights } from '../../../engine/models/start/add-weights.js';

/**
 * Possible faults of the data: training and scoring read the same file; held-out sentences are in the training data;
 * spans begin in ways that their scheme forbids; records have unrelated fields with the names of results; span tags are
 * in an unknown notation; clusters or vectors do not match the words; a question is too large to be sent; no pass has
 * lowered the loss.
 */
export type DataWarning =
  | 'same-file'
  | 'shared-sentences'
  | 'span-openings'
  | 'foreign-fields'
  | 'textless-records'
  | 'tag-form'
  | 'list-match'
  | 'unsent-question'
  | 'untagged'
  | 'nothing-learned'
  | 'no-progress';

/** Callbacks for what a running pipeline reports; all are optional. */
export interface RunEvents {
  /** Called when the corpus has been read, with the number of its sentences. */
  readonly onCorpus?: (sentences: number) => void;
  /** Called before a first model is trained, each time on the corpus without one part, the last time on all of it. */
  readonly onFirstModel?: (file: string, number: number, of: number) => void;
  /** Called before a further part of the model is trained, such as the column "feats". */
  readonly onPart?: (part: string) => void;
  /** Called when training starts from the weights of a file, with the number of its weights that are used. */
  readonly onStart?: (file: string, weights: TakenWeights) => void;
  /** Called when another coordinator runs the same training on many machines, and this one waits to take over. */
  readonly onClusterWait?: () => void;
  /** Called after each training step. */
  readonly onStep?: (step: TrainingStep) => void;
  /** Receives progressive scores, at the interval of `report`. */
  readonly onProgress?: (
    step: TrainingStep,
    sinceStart: Scores,
    inWindow: Scores,
    decayed: DecayedSummary,
    details: DetailedScores,
  ) => void;
  /** Called when another learner answers from the next sentence on. */
  readonly onChampion?: (change: ChampionChange) => void;
  /** Called when a model has been pushed to the registry, and its alias points to it. */
  readonly onDeployed?: (address: string, version: RegisteredVersion) => void;
  /** Called when a model is not deployed (yet), because it has not been found as good as the deployed one. */
  readonly onDeployKept?: (address: string, comparison: DeploymentComparison) => void;
  /** Called when a model could not be deployed; deployment will be retried. */
  readonly onDeployFailed?: (address: string, error: TagstreamError) => void;
  /** Receives the estimate from records drawn at random, after every 50 answers. */
  readonly onEstimates?: (questions: QuestionStatus) => void;
  /** Called when the model may have deteriorated, once per episode, or when the data has a possible fault. */
  readonly onWarning?: (code: DriftWarning['code'] | DataWarning, message: string) => void;
  /** Called when the model has reached the size limit of a stream, with the number of evicted features. */
  readonly onEvicted?: (features: number) => void;
  /** Called when a checkpoint has been written. */
  readonly onCheckpoint?: (name: string, step: TrainingStep) => void;
  /** Called when a damaged checkpoint is skipped. */
  readonly onDamagedCheckpoint?: (name: string, error: Error) => void;
  /** Called when the model of a tagging pipeline has been reloaded. */
  readonly onReloaded?: () => void;
  /** Called when a reloaded model is bad; the old one stays. */
  readonly onReloadRefused?: (error: unknown) => void;
  /**
   * Called with the version of a registry's model with which the run begins, and before each promoted version is
   * loaded.
   */
  readonly onModelVersion?: (address: string, version: RegisteredVersion) => void;
  /** Called when a promoted version cannot be loaded, or fails the pipeline's checks; the old one stays. */
  readonly onVersionRefused?: (address: string, version: RegisteredVersion, error: unknown) => void;
  /** Called when the run resumes from a training checkpoint. */
  readonly onResume?: (sentencesSeen: number) => void;
  /** Called when a run that only tags resumes from a checkpoint: after a record of its input, or from the beginning. */
  readonly onResumeAfter?: (position: Position | undefined) => void;
  /**
   * Called with the number of result bytes after the checkpoint that are kept, because their records came from a pipe,
   * which cannot be read again.
   */
  readonly onKept?: (bytes: number) => void;
  /**
   * Called when the current output file was moved, truncated or deleted since the checkpoint, with the place where its
   * content was found, if it was.
   */
  readonly onMoved?: (part: string, found: string | undefined) => void;
  /**
   * Called when the run does not resume, although its folder has checkpoints of an earlier run, with the newest of
   * them.
   */
  readonly onAnew?: (directory: string, newest: string) => void;
}
