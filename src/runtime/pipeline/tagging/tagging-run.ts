import type { FlowLedger } from '../../../engine/core/delivery/flow-ledger.js';
import type { Registry } from '../../../engine/core/registry.js';
import type { RunStatus } from '../../../engine/core/run-status.js';
import type { MessageTarget, PluginModule } from '../../../engine/interfaces/loaded-plugin.js';
import type { KernelName } from '../../../engine/models/kernels.js';
import type { BatchOptions } from '../../../engine/operators/batch.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import type { InputStream } from '../../../formats/reading/open-input.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { FileLock } from '../../io/locks/file-lock.js';
import type { Budget } from '../../io/sources/gate.js';
import type { Selection } from '../../io/sources/select-records.js';
import type { Transport } from '../../io/transports/transport.js';
import type { Output } from '../../io/writing/open-output.js';
import type { OutputRotation } from '../../io/writing/resumable-file.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import type { BadInBlock, BlockTask } from '../blocks/block-task.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { RunEvents } from '../definition/events.js';
import type { SinkOptions } from '../options/sink-options.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';
import type { SourceComponent } from '../sources/source-component.js';
import type { AddedStages } from '../stages/added.js';
import type { OpenProgress } from './progress/open-progress.js';
import type { OpenModel, ReadTagger } from './reload/open-model.js';
import type { TaggingOptions } from './tagging-options.js';

/** The source of the records to be tagged. */
export interface TaggingSource {
  readonly files: readonly string[];
  readonly format: CodecChoice;
  /** The codec of the format. */
  readonly codec: Codec;
  /** The formats to which `format` belongs. Default: those of Tagstream. */
  readonly sources?: Registry<SourceComponent> | undefined;
  /** Which records are read. Default: all. */
  readonly selection?: Selection | undefined;
  /** Limits on records in flight, if they are processed one by one. */
  readonly budget?: Partial<Budget> | undefined;
  /** Replaces the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** Whether this process generates the records instead of reading them. */
  readonly isGenerated?: boolean | undefined;
  /** Whether the format's options come from the model, so that a replacement must have the same options. */
  readonly isOfModel?: boolean | undefined;
  /** Opens the transport of the records, instead of files. */
  readonly openTransport?: (() => Transport) | undefined;
}

/** The destination of tagged records. */
export interface TaggingSink {
  /** Opens the output; not called if `checkpoint` continues a file, or if messages are sent as they arrive. */
  readonly open: () => Output | Promise<Output>;
  /** The transport that sends tagged records as messages. */
  readonly target?: MessageTarget | undefined;
  /** The file, for checkpoints; `-` is the standard output. */
  readonly file: string;
  readonly rotation?: OutputRotation | undefined;
  /** Which records are written. Default: all. */
  readonly only?: SinkOptions['only'] | undefined;
  /** Writes text for human readers. Default: the codec writes records. */
  readonly writer?: Pick<Codec, 'write'> | undefined;
  /** Whether the output may keep bytes after reporting them as written, as a caller's stream may. */
  readonly holdsWritten?: boolean | undefined;
}

/** How a run records its progress. */
export interface TaggingCheckpoint {
  /** Absolute path of the checkpoint folder. */
  readonly directory: string;
  /** The lock of the directory, if the caller holds it. */
  readonly lock?: FileLock | undefined;
  /** Number of seconds between checkpoints. */
  readonly seconds?: number | undefined;
  /** Number of records between checkpoints. */
  readonly records?: number | undefined;
  readonly keep?: number | undefined;
  /** Whether to continue from the newest checkpoint, if there is one. */
  readonly resume: boolean;
  /** Settings that a resumed run must share with the previous one, in addition to the model. */
  readonly identity: Readonly<Record<string, unknown>>;
  /** Returns whether one of these settings may nevertheless have changed. */
  mayChange(path: readonly string[]): boolean;
}

/**
 * The records to tag, the tagging model, and the destination of the results, which the command `tag` and pipelines that
 * only tag pass to `runTagging`.
 */
export interface TaggingRun {
  readonly source: TaggingSource;
  readonly model: OpenModel;
  readonly options: Omit<TaggingOptions, 'modelId' | 'passing'>;
  /** Whether records contain the id of their model. */
  readonly modelVersion: boolean;
  /** How texts are tokenized. Default: like the model's training data. */
  readonly tokenize?: TokenizeStageOptions | undefined;
  /** Stages of plug-ins, which records pass one by one. */
  readonly added?: AddedStages | undefined;
  /** Limits on sentences decoded at once, if records are processed one by one. */
  readonly batching: Omit<BatchOptions, 'ledger'>;
  readonly sink: TaggingSink;
  readonly checkpoint?: TaggingCheckpoint | undefined;
  /** Number of tagging threads. */
  readonly workers: number;
  /** Threads that are already starting, and that the caller ends. Default: the run starts its own. */
  readonly pool?: TaggingPool | undefined;
  /** The open dead letters, which the caller closes. */
  readonly deadLetters: DeadLetters;
  /** Its abort ends the input; records already read are still tagged and written. */
  readonly signal: AbortSignal;
  /** Status that is updated while the run lasts. */
  readonly status?: RunStatus | undefined;
  readonly events: Pick<
    RunEvents,
    | 'onReloaded'
    | 'onReloadRefused'
    | 'onWarning'
    | 'onDamagedCheckpoint'
    | 'onResumeAfter'
    | 'onKept'
    | 'onMoved'
    | 'onAnew'
  >;
  /** Receives the number of skipped blank lines, possibly several times. */
  readonly onBlank?: ((lines: number) => void) | undefined;
  /** Registers a listener for requests to reload the model. Returns a function that removes it. */
  readonly onReload?: ((listener: () => void) => () => void) | undefined;
  /** The place that errors about the whole run name. */
  readonly place?: string | undefined;
}

/** Callbacks that every path receives in addition to the run. */
export interface TaggingHooks {
  readonly ledger: FlowLedger;
  /** Must be called when the input has been read to its end, before the output is committed. */
  readonly onEnd: () => void;
  /** Must be called for records whose results go under a separate key. */
  readonly onBelow: () => void;
  /** Must be called with the numbers of records without a text that are redacted. */
  readonly onTextless: (records: number) => void;
}

/** A path for records. */
export interface TaggingWay<Tagger> {
  /** Builds the tagger of a model. Throws if the model cannot fulfil the request. */
  make(read: ReadTagger, options: TaggingOptions): Tagger;
  /** Builds the tagger of the initial model, if there is a cheaper way. Default: `make`. */
  makeFirst?(bytes: Uint8Array, options: TaggingOptions): Tagger;
  /**
   * Tags all records.
   *
   * @param newest the current tagger
   * @param to the open output; absent if messages are sent
   * @returns the number of records written
   */
  tag(newest: Newest<Tagger>, to: TaggedOutput): Promise<{ readonly records: number }>;
  /** Closes what was opened for the path. */
  close?(): Promise<void> | undefined;
}

/** The destination of results, and the progress of a run with checkpoints. */
export interface TaggedOutput {
  readonly output: Output;
  readonly progress: OpenProgress | undefined;
}

/** The tagger made from the current model file. */
export interface Newest<Tagger> {
  readonly current: Tagger;
  /** Registers a listener for replacements. Returns a function that removes it. */
  onNew(listener: (tagger: Tagger) => void): () => void;
}

/** The result of a tagging run. */
export interface TaggingResult {
  /** Number of records written. */
  readonly records: number;
  /** Whether its signal ended the run before the end of its input. */
  readonly stopped: boolean;
  /** Current path of the file with the records of a run with checkpoints. */
  readonly file: string | undefined;
}

/** The inputs of a worker that tags blocks. */
export interface TaggingSetup {
  /** The model file, which all workers share. */
  readonly modelBytes: SharedArrayBuffer;
  /** Name of the model file, for errors. */
  readonly modelFile: string;
  readonly kernel: KernelName;
  readonly codec: CodecChoice;
  readonly options: TaggingOptions;
  /** How texts are tokenized. Default: like the model's training data. */
  readonly tokenize?: TokenizeStageOptions | undefined;
  /** Plug-ins, which each worker loads itself. */
  readonly modules?: readonly PluginModule[] | undefined;
}

/** A model file: that of the setup, or a replacement. */
export interface NewModel {
  /** 0 for the setup's model, 1 for its first replacement, and so on. */
  readonly generation: number;
  readonly bytes: SharedArrayBuffer;
  /** Unique id of the model, if records are to contain it. */
  readonly modelId?: string | undefined;
}

/** A block, and the model with which to tag it. */
export interface TaggingTask extends BlockTask {
  /** The model. Default: that of the setup. Generations never decrease. */
  readonly model?: NewModel | undefined;
}

/** A tagged block. */
export interface TaggedBlock {
  /** The tagged records, as UTF-8. */
  readonly output: Uint8Array<ArrayBuffer>;
  /** Number of records in the output. */
  readonly records: number;
  /** Number of records in the block, good and bad. */
  readonly read: number;
  /** Number of skipped blank lines. */
  readonly blank: number;
  /**
   * Number of records whose results went under a key because unrelated fields occupy their place; absent if there are
   * none.
   */
  readonly below?: number | undefined;
  /** Number of records without a text, which redaction writes unchanged; absent if there are none. */
  readonly textless?: number | undefined;
  /** Bad records, in input order. */
  readonly bad: readonly BadInTagged[];
  /** The block's memory, which is no longer in use; absent if the block contains bad records. */
  readonly spent?: ArrayBuffer | undefined;
}

/** A bad record of a tagged block. */
export interface BadInTagged extends BadInBlock {
  /** Number of output bytes for the records before it. */
  readonly outputBefore: number;
}

/** A pool whose module is `tag-worker.js`. */
export type TaggingPool = WorkerPool<TaggingSetup, TaggingTask, TaggedBlock>;
