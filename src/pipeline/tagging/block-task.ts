import type { Position } from '../../core/delivery.js';
import type { Block } from '../../io/blocks/block-cutter.js';
import type { KernelName } from '../../models/kernels.js';
import type { PortableError } from '../../workers/portable-error.js';
import type { CodecChoice } from '../codec-of.js';
import type { TaggingOptions } from './tagging-stages.js';

/** What a worker needs to tag blocks. */
export interface TaggingSetup {
  /** The model file, which all workers share. */
  readonly modelBytes: SharedArrayBuffer;
  /** Its name, for errors. */
  readonly modelFile: string;
  readonly kernel: KernelName;
  readonly codec: CodecChoice;
  readonly options: TaggingOptions;
}

/** Whole records to be tagged. */
export interface BlockTask {
  /** Name of the input that they are from. */
  readonly source: string;
  readonly block: Block;
}

/** A block, tagged. */
export interface TaggedBlock {
  /** The tagged records, as UTF-8. */
  readonly output: Uint8Array<ArrayBuffer>;
  /** Records in the output. */
  readonly records: number;
  /** Blank lines that were passed over. */
  readonly blank: number;
  /** In the order in which they stand in the input. */
  readonly bad: readonly BadInBlock[];
}

/** A bad record of a block, with its error as messages hold it. */
export interface BadInBlock {
  readonly position: Position;
  readonly raw: Uint8Array;
  readonly truncated: boolean;
  readonly error: PortableError;
  /** Bytes of the output that come from records before it. */
  readonly outputBefore: number;
}
