import type { FlowLedger } from '../../core/delivery/flow-ledger.js';
import type { Registry } from '../../core/registry.js';
import type { RunStatus } from '../../core/run-status.js';
import type { Codec } from '../../io/codecs/codec.js';
import type { DeadLetters } from '../../io/dead-letters/dead-letters.js';
import type { FileLock } from '../../io/locks/file-lock.js';
import type { InputStream } from '../../io/reading/open-input.js';
import type { Budget } from '../../io/sources/gate.js';
import type { Selection } from '../../io/sources/select-records.js';
import type { Transport } from '../../io/transports/transport.js';
import type { Output } from '../../io/writing/open-output.js';
import type { OutputRotation } from '../../io/writing/resumable-file.js';
import type { KernelName } from '../../models/kernels.js';
import type { BatchOptions } from '../../operators/batch.js';
import type { MessageTarget, PluginModule } from '../../plugins/loaded-plugin.js';
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

/** The records that are tagged. */
export interface TaggingSource {
  readonly files: readonly string[];
  readonly format: CodecChoice;
  /** That of the format. */
  readonly codec: Codec;
  /** The formats that `format` is one of; those of Tagstream if absent. */
  readonly sources?: Registry<SourceComponent> | undefined;
  /** Which of the records are read; all if absent. */
  readonly selection?: Selection | undefined;
  /** Records in flight, where they go one by one. */
  readonly budget?: Partial<Budget> | undefined;
  /** In place of the standard input of the process. */
  readonly stdin?: InputStream | undefined;
  /** Whether the records are made by this process, not read. */
  readonly isGenerated?: boolean | undefined;
  /** Whether the options of the format are those of the model, so that a model which takes its place has to have the same. */
  readonly isOfModel?: boolean | undefined;
  /** Opens the transport of the records, instead of files. */
  readonly openTransport?: (() => Transport) | undefined;
}

/** Where tagged records go. */
export interface TaggingSink {
  /** Opens the output; not called where `checkpoint` continues a file, or messages are sent as they come. */
  readonly open: () => Output | Promise<Output>;
  /** A transport that takes them as messages. */
  readonly target?: MessageTarget | undefined;
  /** The file, for checkpoints; `-` is the standard output. */
  readonly file: string;
  readonly rotation?: OutputRotation | undefined;
  /** Which records are written; all if absent. */
  readonly only?: SinkOptions['only'] | undefined;
  /** Writes text to be read by people; the codec writes records if absent. */
  readonly writer?: Pick<Codec, 'write'> | undefined;
  /** Whether the output may hold bytes that it says are written, as a stream of the caller's does. */
  readonly holdsWritten?: boolean | undefined;
}

/** How a run notes how far it is. */
export interface TaggingCheckpoint {
  /** A whole path. */
  readonly directory: string;
  /** That of the directory, where the caller has taken it. */
  readonly lock?: FileLock | undefined;
  /** Seconds from one checkpoint to the next. */
  readonly seconds?: number | undefined;
  /** Records from one checkpoint to the next. */
  readonly records?: number | undefined;
  readonly keep?: number | undefined;
  /** Go on from the newest checkpoint, if there is one. */
  readonly resume: boolean;
  /** What a resumed run must have in common with the previous one, besides the model. */
  readonly identity: Readonly<Record<string, unknown>>;
}

/**
 * Records to be tagged, the model that tags them, and where the results go: what the command `tag`, and a pipeline that
 * only tags, hand to `runTagging`.
 */
export interface TaggingRun {
  readonly source: TaggingSource;
  readonly model: OpenModel;
  readonly options: Omit<TaggingOptions, 'modelId' | 'passing'>;
  /** Whether records have the id of their model. */
  readonly modelVersion: boolean;
  /** How texts are tokenized; as those that the model was trained on if absent. */
  readonly tokenize?: TokenizeStageOptions | undefined;
  /** Stages of plug-ins, through which records go one by one. */
  readonly added?: AddedStages | undefined;
  /** Sentences that are decoded at once, where records go one by one. */
  readonly batching: Omit<BatchOptions, 'ledger'>;
  readonly sink: TaggingSink;
  readonly checkpoint?: TaggingCheckpoint | undefined;
  /** Threads that tag. */
  readonly workers: number;
  /** Threads that are already starting and that the caller ends; if absent, the run starts its own. */
  readonly pool?: TaggingPool | undefined;
  /** Open; closed by the caller. */
  readonly deadLetters: DeadLetters;
  /** Its abort ends the input; what has been read is still tagged and written. */
  readonly signal: AbortSignal;
  /** Published while the run lasts. */
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
  /** Receives the number of blank lines that were skipped, several times. */
  readonly onBlank?: ((lines: number) => void) | undefined;
  /** Calls whenever the model is to be read again. Returns what ends that. */
  readonly onReload?: ((listener: () => void) => () => void) | undefined;
  /** Where errors are that are about the run as a whole. */
  readonly place?: string | undefined;
}

/** What every way to tag has in addition to the run itself. */
export interface TaggingHooks {
  readonly ledger: FlowLedger;
  /** To be called when the input was read to its end, before the output is committed. */
  readonly onEnd: () => void;
  /** To be called for records whose results go below a key of their own. */
  readonly onBelow: () => void;
}

/** A way that records go. */
export interface TaggingWay<Tagger> {
  /** Builds the tagger of a model. Throws if the model does not support the request. */
  make(read: ReadTagger, options: TaggingOptions): Tagger;
  /** The same of the model that the run begins with, where that is less; `make` if absent. */
  makeFirst?(bytes: Uint8Array, options: TaggingOptions): Tagger;
  /**
   * Tags all records.
   *
   * @param newest what tags from now on
   * @param to the output, open; messages are sent without one
   * @returns the number of records written
   */
  tag(newest: Newest<Tagger>, to: TaggedOutput): Promise<{ readonly records: number }>;
  /** Ends what was begun for it. */
  close?(): Promise<void> | undefined;
}

/** Where results go, and the progress of a run that writes checkpoints. */
export interface TaggedOutput {
  readonly output: Output;
  readonly progress: OpenProgress | undefined;
}

/** What was made of the model as its file is now. */
export interface Newest<Tagger> {
  readonly current: Tagger;
  /** Calls with each that takes the place of the one before. Returns what ends that. */
  onNew(listener: (tagger: Tagger) => void): () => void;
}

/** What came of a run. */
export interface TaggingResult {
  /** Records written. */
  readonly records: number;
  /** Whether it was ended by its signal, before its input had ended. */
  readonly stopped: boolean;
  /** The file that holds the records of a run with checkpoints, by the name that it has now. */
  readonly file: string | undefined;
}

/** What a worker needs to tag blocks. */
export interface TaggingSetup {
  /** The model file, which all workers share. */
  readonly modelBytes: SharedArrayBuffer;
  /** Its name, for errors. */
  readonly modelFile: string;
  readonly kernel: KernelName;
  readonly codec: CodecChoice;
  readonly options: TaggingOptions;
  /** How texts are tokenized; as those that the model was trained on if absent. */
  readonly tokenize?: TokenizeStageOptions | undefined;
  /** Plug-ins, which each worker loads itself. */
  readonly modules?: readonly PluginModule[] | undefined;
}

/** A model file: that of the setup, or one that takes its place. */
export interface NewModel {
  /** 0 for that of the setup, 1 for the first one after it. */
  readonly generation: number;
  readonly bytes: SharedArrayBuffer;
  /** What distinguishes it from all others, where records are to have it. */
  readonly modelId?: string | undefined;
}

/** A block, and by which model it is tagged. */
export interface TaggingTask extends BlockTask {
  /** Absent: that of the setup. Generations never go back. */
  readonly model?: NewModel | undefined;
}

/** A block, tagged. */
export interface TaggedBlock {
  /** The tagged records, as UTF-8. */
  readonly output: Uint8Array<ArrayBuffer>;
  /** Records in the output. */
  readonly records: number;
  /** Records of the block, good and bad. */
  readonly read: number;
  /** Blank lines that were passed over. */
  readonly blank: number;
  /** Records whose results went below a key, as they have fields of others in their place; absent where none did. */
  readonly below?: number | undefined;
  /** In the order of the input. */
  readonly bad: readonly BadInTagged[];
  /** The memory of the block, which is no longer in use; absent if it holds bad records. */
  readonly spent?: ArrayBuffer | undefined;
}

/** A bad record of a tagged block. */
export interface BadInTagged extends BadInBlock {
  /** Bytes of the output that come from records before it. */
  readonly outputBefore: number;
}

/** A pool whose module is `tag-worker.js`. */
export type TaggingPool = WorkerPool<TaggingSetup, TaggingTask, TaggedBlock>;
