import type { ErrorPlace } from '../../core/errors.js';

/** A file that a command reads or writes. */
export interface FileUse {
  /** `-` is the standard input or output. */
  readonly path: string;
  /** What it is to the command, as `the input`. */
  readonly what: string;
  /** Where a pipeline file names it; undefined for what the command line names. */
  readonly place?: ErrorPlace | undefined;
  /** Of a folder: names of what the command writes and removes in it. */
  readonly names?: RegExp | undefined;
}

/** All files that a command reads and writes. */
export interface FileUses {
  readonly reads: readonly FileUse[];
  readonly writes: readonly FileUse[];
}
