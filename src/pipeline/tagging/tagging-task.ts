import type { KernelName } from '../../models/kernels.js';
import type { PluginModule } from '../../plugins/loaded-plugin.js';
import type { WorkerPool } from '../../workers/worker-pool.js';
import type { BadInBlock } from '../blocks/bad-in-block.js';
import type { BlockTask } from '../blocks/block-task.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';
import type { TaggingOptions } from './tagging-options.js';

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
  /** In the order in which they stand in the input. */
  readonly bad: readonly BadInTagged[];
  /** The memory of the block, which nobody looks at any more; absent where bad records lie in it. */
  readonly spent?: ArrayBuffer | undefined;
}

/** A bad record of a tagged block. */
export interface BadInTagged extends BadInBlock {
  /** Bytes of the output that come from records before it. */
  readonly outputBefore: number;
}

/** A pool whose module is `tag-worker.js`. */
export type TaggingPool = WorkerPool<TaggingSetup, TaggingTask, TaggedBlock>;
