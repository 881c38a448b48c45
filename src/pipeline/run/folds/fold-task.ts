import type { KernelName } from '../../../models/kernels.js';

/** What a worker needs to load the pipeline whose folds it trains; plain data. */
export interface FoldSetup {
  readonly file: string;
  /** What takes the place of the contents of the file. */
  readonly text: string | undefined;
  /** Overrides. */
  readonly set: readonly string[];
  readonly kernel: KernelName | undefined;
}
