import type { TaggingOptions } from '../pipeline/tagging/tagging-stages.js';
import type { BadRecordArguments } from './bad-record-options.js';
import type { KernelArguments } from './kernel-option.js';

/** Arguments of `tag`. */
export interface TagArguments extends BadRecordArguments, KernelArguments, TaggingOptions {
  readonly inputs: readonly string[];
  readonly model: string;
  readonly format?: string | undefined;
  readonly out: string;
  readonly workers: number;
  /** A file of dead letters, in place of the inputs. */
  readonly replay?: string | undefined;
}
