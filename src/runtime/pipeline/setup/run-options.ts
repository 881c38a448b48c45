import type { Observable } from 'rxjs';
import type {
  DeploymentCounts,
  LabelCounts,
  QuestionStatus,
  RunStatus,
} from '../../../engine/core/run-status.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import type { Scores } from '../../../engine/core/training/training-step.js';
import type { ClusterReport } from '../../../engine/interfaces/cluster-options.js';
import type { GraphTally } from '../../../engine/kernels/graph/graph-scores.js';
import type { Kernel } from '../../../engine/kernels/kernel.js';
import type { PruningLoss } from '../../../engine/models/decoding/pruning-loss.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { OutputStream } from '../../io/writing/open-output.js';
import type { RunEvents } from '../definition/events.js';

/** The options of a pipeline run. */
export interface RunOptions {
  /** Path of the trained model, instead of the file's `model`; relative to the working directory. */
  readonly model?: string;
  /** Whether the model keeps the names of its features. Default: the pipeline decides. */
  readonly names?: boolean;
  /** Whether to refuse to replace the model of a longer training run, as the command line does. Default false. */
  readonly keepLonger?: boolean;
  /** Whether to continue from the newest checkpoint. */
  readonly resume?: boolean;
  /** Maximum number of records to read, as if the input ended there. */
  readonly limit?: number | undefined;
  /** Receives bad records; the caller closes it. Default: the pipeline's dead letters. */
  readonly deadLetters?: DeadLetters;
  readonly events?: RunEvents;
  /** Status that is kept up to date during the run, for observers. */
  readonly status?: RunStatus | undefined;
  /** Ends the run in an orderly way: reading stops, and a checkpoint is written. */
  readonly signal?: AbortSignal;
  /** Emits to reload the model of a pipeline that only tags. */
  readonly reloads?: Observable<void>;
  /** The registry of models whose names begin with `nats://`. */
  readonly registry?: RegistryChoice | undefined;
  readonly stdin?: InputStream;
  readonly stdout?: OutputStream;
  readonly onBlank?: () => void;
  /** Kernel of the model. Default: the default kernel. */
  readonly kernel?: Kernel;
  /** Receives the bytes of the finished model file, even if no file is written. */
  readonly onModel?: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Receives each scored sentence of the test data, in order, with the tags of the finished model. */
  readonly onScored?: (sentence: Sentence, tags: readonly string[]) => void;
  /**
   * Number of best sequences of each test sentence among which the rank of the gold tags is determined, from 1 to 1000.
   * Default: that of the stage `evaluate`, or no ranks.
   */
  readonly rank?: number | undefined;
  /** Number of tagging threads of a pipeline that does not train; does not affect the output. Default 1. */
  readonly workers?: number | undefined;
  /** Minimum number of bytes of a corpus for several workers to read it. Default 16 MiB. */
  readonly sharedReading?: number;
}

/** A model file written by a run. */
export interface WrittenModel {
  readonly file: string;
  readonly bytes: number;
  /** Whether its weights were rounded and its zeros omitted; undefined if that is impossible. */
  readonly compact?: boolean | undefined;
}

/**
 * The result of a run. Counts that checkpoints hold are totals, also after a resume: sentences, labels and questions.
 * Others count since the start or the resume, as they say.
 */
export interface RunResult {
  /** Number of sentences learned from, over all passes, those before a resume among them. */
  readonly sentencesSeen: number;
  /** Number of them before the resume; present if the run was resumed. */
  readonly sentencesBefore?: number;
  /** Number of records written since the start or the resume. */
  readonly records: number;
  /** Number of bad records since the start or the resume, skipped or kept in a dead-letter file. */
  readonly rejected: number;
  /** The written model file. */
  readonly model?: WrittenModel;
  /** The model's pass, if the best one was kept. */
  readonly bestPass?: number;
  /** Scores of the written model on the test data. */
  readonly test?: Scores;
  /** Loss caused by pruning on the test data, if labels are pruned. */
  readonly pruning?: PruningLoss;
  /** Number of graphs inferred exactly and approximately, for models with the structure graph. */
  readonly graphs?: Readonly<GraphTally>;
  /** Counts of late labels, in total. */
  readonly labels?: LabelCounts;
  /** Counts of the requested labels, in total, and the scores estimated from answers about randomly drawn records. */
  readonly questions?: QuestionStatus;
  /** Counts of the models deployed since the start or the resume. */
  readonly deployment?: DeploymentCounts;
  /** The cost of training on many machines. */
  readonly cluster?: ClusterReport;
  /** Whether the run was ended by its signal before the end of its input. */
  readonly stopped: boolean;
  /** Whether another run of the same pipeline gives the same weights; false after hogwild. */
  readonly reproducible: boolean;
}

/** Options of a run whose dead letters are open. */
export type RunWithDeadLetters = RunOptions & { readonly deadLetters: DeadLetters };

/** The place of a model registry, as given by commands and code. */
export interface RegistryChoice {
  /** Addresses of the registry's servers, instead of those in the file. */
  readonly servers?: readonly string[] | undefined;
  /**
   * A YAML file with the connection settings of its servers. Default: the file named by the variable `TAGSTREAM_NATS`.
   */
  readonly nats?: string | undefined;
  /** Folder for model files. Default: `TAGSTREAM_CACHE`, else `tagstream` in the user's cache folder. */
  readonly cache?: string | undefined;
}
