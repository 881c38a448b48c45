import type { ModelSpec } from '../../models/model-spec.js';
import type { PluginModule } from '../../plugins/loaded-plugin.js';
import type { BadInBlock } from '../blocks/bad-in-block.js';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';
import type { PackedSentences } from './packed-sentences.js';

/** What a worker needs to read and encode blocks. */
export interface ExtractionSettings {
  readonly spec: ModelSpec;
  readonly codec: CodecChoice;
  /** Options of the stage `tokenize`, if there is one. */
  readonly tokenize: TokenizeStageOptions | undefined;
  /** Plug-ins, which each worker loads itself. */
  readonly modules?: readonly PluginModule[] | undefined;
}

/** What a worker made of a block; its rows and labels have numbers that are the worker's own. */
export interface ExtractedBlock {
  /** The worker's number; no two workers have the same. */
  readonly worker: number;
  /** The labelled sentences. */
  readonly sentences: PackedSentences;
  /** What the worker met here for the first time, in that order; it gave the next numbers to them. */
  readonly news: {
    /** Fingerprints, lo and hi in turn. */
    readonly state: Uint32Array<ArrayBuffer>;
    readonly edges: Uint32Array<ArrayBuffer>;
    readonly labels: readonly string[];
  };
  /** Records of the block, good and bad. */
  readonly read: number;
  /** Blank lines that were skipped. */
  readonly blank: number;
  /** In the order in which they stand in the input. */
  readonly bad: readonly BadInBlock[];
}
