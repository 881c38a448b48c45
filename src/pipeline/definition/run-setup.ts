import { resolve } from 'node:path';
import { FlowLedger } from '../../core/delivery/flow-ledger.js';
import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { RunStatus } from '../../core/run-status.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import type { CheckpointParts } from '../../core/training/checkpoint-store.js';
import type { FileLock } from '../../io/locks/file-lock.js';
import type { ClusterReport } from '../../io/nats/training/cluster-report.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import type { ResumableFile } from '../../io/writing/resumable-file.js';
import type { Kernel } from '../../kernels/kernel.js';
import type { Loss } from '../../losses/loss.js';
import type { DriftWatch } from '../../metrics/drift-watch.js';
import type { ProgressiveScores } from '../../metrics/scores/progressive-scores.js';
import type { ConfidenceOptions } from '../../models/decoding/decode-options.js';
import type { ShardExecutor } from '../../models/group/mixing/shard-executor.js';
import type { MinibatchLimits } from '../../models/group/mixing/shard-job.js';
import { defaultKernel } from '../../models/kernels.js';
import type { EarlyStopping } from '../../models/learning/early-stopping.js';
import type { Learner } from '../../models/learning/learner.js';
import { TrainingHistory } from '../../models/learning/training-history.js';
import type { Model } from '../../models/model.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import { builtInComponents, type Components } from '../catalogue/components.js';
import type { TrainOptions } from '../options/train-options.js';
import type { ChosenSource } from '../sources/source-component.js';
import type { RunEvents } from './events.js';

/** What is known of a run before its stages are created. */
export interface RunGiven {
  readonly baseDirectory: string;
  readonly source: ChosenSource;
  /** What the pipeline can name; without plug-ins if absent. */
  readonly catalogue?: Components | undefined;
  readonly train: TrainOptions | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  readonly events: RunEvents;
  readonly restored: CheckpointParts | undefined;
  readonly status?: RunStatus | undefined;
  /** Where the trained model goes, if anywhere. */
  readonly modelFile?: string | undefined;
  /** For the model; the default one if absent. */
  readonly kernel?: Kernel | undefined;
  /** Ends the run. */
  readonly signal?: AbortSignal | undefined;
  /** One of its own if absent. */
  readonly ledger?: FlowLedger | undefined;
  /** The lock of the folder of checkpoints, if there is one. */
  readonly lock?: FileLock | undefined;
}

/** Other machines that take part in a run. */
export interface ClusterRun {
  /** Known at the end. */
  readonly report: ClusterReport | undefined;
  /** Once the model is written. */
  finish(): Promise<void>;
  /** However the run ends. */
  close(): Promise<void>;
}

/** Sentences that a run scores on, and where they are from. */
export interface HeldOut {
  readonly source: ChosenSource;
  readonly sentences: readonly Sentence[];
}

/**
 * What the stages of one run share. Stages are created in the order of the file: `featurize` brings the
 * model, `contribute` the loss, `optimize` the learner, and so on; an operator reads what it needs when
 * the run starts.
 */
export class RunSetup {
  readonly baseDirectory: string;
  readonly source: ChosenSource;
  readonly catalogue: Components;
  readonly train: TrainOptions | undefined;
  readonly events: RunEvents;
  /** Where the run publishes its status, if anybody watches. */
  readonly status: RunStatus | undefined;
  /** Parts of the checkpoint that the run resumes from. */
  readonly restored: CheckpointParts | undefined;
  /** The file as plain data, to be compared when a run resumes from a checkpoint. */
  readonly config: Readonly<Record<string, unknown>>;
  /** How documents become sentences, here and in held-out data. */
  tokenizer: TokenizeOptions = {};
  readonly kernel: Kernel;
  /** Where the trained model goes, if anywhere. */
  readonly modelFile: string | undefined;
  /** The lock of the folder of checkpoints, if there is one. */
  readonly lock: FileLock | undefined;
  /** Ends the run. */
  readonly signal: AbortSignal | undefined;
  tokenizeOptions: Readonly<Record<string, unknown>> | undefined;
  /** Whether the best labels are wanted beside the gradient. */
  predict = false;
  /** The probabilities that are wanted with them. */
  confidence: ConfidenceOptions | undefined;
  /** Whether tagged records get scores. */
  scores = false;
  /** Throws for a sentence that cannot be tagged, before it waits for its batch. */
  checkSentence: ((sentence: Sentence) => void) | undefined;
  loss: Loss | undefined;
  /** How sentences are put into minibatches, for those who do it elsewhere. */
  minibatches: MinibatchLimits = {};
  /** Who has passes over shards made on other machines. */
  executor: ShardExecutor | undefined;
  /** Other machines that train, for passes or for sums. */
  cluster: ClusterRun | undefined;
  stopping: EarlyStopping | undefined;
  /** What training reports pass by pass. */
  readonly history = new TrainingHistory();
  /**
   * Gives the features of a corpus the weights to start from. Features of those weights that are not in the corpus
   * are left out: the objective is that of the corpus.
   */
  startOnCorpus: (() => void) | undefined;
  /** Called with the corpus before anything is learned of it; whoever runs the pipeline may set it. */
  onSettled: ((corpus: readonly EncodedSentence[]) => void) | undefined;
  /** What the stage `evaluate` scores on, once it is read. */
  heldOut: HeldOut | undefined;
  /** The corpus that is iterated over, once it is known, until the model is written. */
  corpus: readonly EncodedSentence[] | undefined;
  progress: ProgressiveScores | undefined;
  drift: DriftWatch | undefined;
  /** The file that the sink writes, if a resumed run continues it. */
  output: ResumableFile | undefined;
  /** Hands what is collected for the sink on to the system. */
  flushSink: (() => void) | undefined;
  /** Who holds records between the source and the sink. */
  readonly ledger: FlowLedger;
  /** What has to be done before the first record is read. */
  readonly preparations: (() => Promise<void>)[] = [];
  /** What has to be done in the end, however the run ends. */
  readonly endings: (() => Promise<void>)[] = [];
  /** Whether the templates are those of a preset. */
  usesPreset = false;
  /** What distinguishes the model that tags from all others. */
  modelId: string | undefined;
  /** Whether records are to have it. */
  addsModelId = false;
  #model: Model | undefined;
  #learner: Learner | undefined;

  constructor(given: RunGiven) {
    this.baseDirectory = given.baseDirectory;
    this.source = given.source;
    this.catalogue = given.catalogue ?? builtInComponents;
    this.train = given.train;
    this.config = given.config;
    this.events = given.events;
    this.status = given.status;
    this.restored = given.restored;
    this.kernel = given.kernel ?? defaultKernel;
    this.modelFile = given.modelFile;
    this.lock = given.lock;
    this.signal = given.signal;
    this.ledger = given.ledger ?? new FlowLedger();
  }

  /** Whether the run was asked to end before its input. */
  isStopped(): boolean {
    return this.signal?.aborted === true;
  }

  /** A path of the pipeline file, which starts at the file's folder; `-` stays. */
  path(path: string): string {
    return path === '-' ? path : resolve(this.baseDirectory, path);
  }

  /** @throws TagstreamError `file` */
  readBytes(path: string): Uint8Array {
    return readBytes(this.path(path));
  }

  get model(): Model {
    return this.#model ?? missing('featurize', 'a model');
  }

  set model(model: Model) {
    this.#model = model;
  }

  /** Does what has to be done in the end, once. */
  async end(): Promise<void> {
    for (const end of this.endings.splice(0)) await end();
  }

  get learner(): Learner {
    return this.#learner ?? missing('optimize', 'an optimizer');
  }

  set learner(learner: Learner) {
    this.#learner = learner;
  }
}

function missing(stage: string, what: string): never {
  throw new TagstreamError('config', `the pipeline lacks ${what}`, {
    fix: `add the stage ${stage} before the stages that need it`,
  });
}
