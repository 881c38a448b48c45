import type { Observable } from 'rxjs';
import type {
  DeploymentCounts,
  LabelCounts,
  QuestionStatus,
  RunStatus,
} from '../../core/run-status.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { Scores } from '../../core/training/training-step.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { ClusterReport } from '../../io/nats/training/cluster-options.js';
import type { InputStream } from '../../io/reading/open-input.js';
import type { OutputStream } from '../../io/writing/open-output.js';
import type { GraphTally } from '../../kernels/graph/graph-scores.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { PruningLoss } from '../../models/decoding/pruning-loss.js';
import type { RunEvents } from '../definition/events.js';

/** The options of a pipeline run. */
export interface RunOptions {
  /** Where the trained model goes, instead of the file's `model`; relative to the working directory. */
  readonly model?: string;
  /** Whether the model keeps the names of its features; if absent, the pipeline decides. */
  readonly names?: boolean;
  /** Refuse to replace the model of a longer training, as the command line does. Default: false. */
  readonly keepLonger?: boolean;
  /** Continue from the newest checkpoint. */
  readonly resume?: boolean;
  /** Most records to read, as if the input ended there. */
  readonly limit?: number | undefined;
  /** Takes bad records; closed by the caller. Default: as the pipeline says. */
  readonly deadLetters?: DeadLetters;
  readonly events?: RunEvents;
  /** Kept up to date during the run, for observers. */
  readonly status?: RunStatus | undefined;
  /** Ends the run in an orderly way: reading stops, a checkpoint is written. */
  readonly signal?: AbortSignal;
  /** Each emission reloads the model of a pipeline that only tags. */
  readonly reloads?: Observable<void>;
  /** The registry of models whose names begin with `nats://`. */
  readonly registry?: RegistryChoice | undefined;
  readonly stdin?: InputStream;
  readonly stdout?: OutputStream;
  readonly onBlank?: () => void;
  /** For the model; default: the default kernel. */
  readonly kernel?: Kernel;
  /** Receives the bytes of the finished model file, wherever it is written. */
  readonly onModel?: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Receives each sentence of the test data that is scored, with the tags of the finished model, in order. */
  readonly onScored?: (sentence: Sentence, tags: readonly string[]) => void;
  /**
   * Best sequences of a sentence of the test data among which the rank of its gold tags is counted, from 1 to 1000. Default: that
   * of the stage `evaluate`, or no ranks.
   */
  readonly rank?: number | undefined;
  /** Threads that tag, of a pipeline that trains nothing; the output is the same for any number. Default 1. */
  readonly workers?: number | undefined;
  /** Bytes of a corpus from which on several workers read it. Default 16 MiB. */
  readonly sharedReading?: number;
}

/** A model file that a run wrote. */
export interface WrittenModel {
  readonly file: string;
  readonly bytes: number;
  /** Whether its weights were rounded and zeros omitted; undefined if that is impossible. */
  readonly compact?: boolean | undefined;
}

/** The result of a run. */
export interface RunResult {
  /** Sentences learned from, over all passes. */
  readonly sentencesSeen: number;
  /** Records written. */
  readonly records: number;
  /** Bad records, whether they were skipped or kept in a dead-letter file. */
  readonly rejected: number;
  /** The model file that was written. */
  readonly model?: WrittenModel;
  /** The pass of the model, if the best one was kept. */
  readonly bestPass?: number;
  /** Scores of the written model on the test data. */
  readonly test?: Scores;
  /** The loss by pruning on the test data, if labels are pruned. */
  readonly pruning?: PruningLoss;
  /** How often graphs were inferred exactly or approximately, for models with the structure graph. */
  readonly graphs?: Readonly<GraphTally>;
  /** Counts of labels that arrived later. */
  readonly labels?: LabelCounts;
  /** Counts of the requested labels, and the scores estimated from answers to randomly drawn records. */
  readonly questions?: QuestionStatus;
  /** Counts of the deployed models. */
  readonly deployment?: DeploymentCounts;
  /** The cost of a training on many machines. */
  readonly cluster?: ClusterReport;
  /** The run was ended by its signal, before its input had ended. */
  readonly stopped: boolean;
  /** False if another run of the same pipeline gives other weights: after hogwild. */
  readonly reproducible: boolean;
}

/** Options of a run that has its dead letters. */
export type RunWithDeadLetters = RunOptions & { readonly deadLetters: DeadLetters };

/** Where a registry of models is, as given by commands and code. */
export interface RegistryChoice {
  /** Addresses of its servers, instead of those of the file. */
  readonly servers?: readonly string[] | undefined;
  /** A YAML file that says how its servers are reached; default: that of the variable `TAGSTREAM_NATS`. */
  readonly nats?: string | undefined;
  /** Folder for model files; default: `TAGSTREAM_CACHE`, else `tagstream` among the caches of the user. */
  readonly cache?: string | undefined;
}
