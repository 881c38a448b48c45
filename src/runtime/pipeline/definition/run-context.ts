import { resolve } from 'node:path';
import { FlowLedger } from '../../../engine/core/delivery/flow-ledger.js';
import type { RunStatus } from '../../../engine/core/run-status.js';
import { Scope } from '../../../engine/core/scope.js';
import type { CheckpointParts } from '../../../engine/core/training/state.js';
import type { Kernel } from '../../../engine/kernels/kernel.js';
import { defaultKernel } from '../../../engine/models/kernels.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import type { FileLock } from '../../io/locks/file-lock.js';
import type { Components } from '../catalogue/components.js';
import type { RunEvents } from './events.js';
import type { Pipeline } from './pipeline.js';

/** The paths in a pipeline file: relative paths start at its folder, and `-` stays. */
export class PipelinePaths {
  readonly baseDirectory: string;

  constructor({ baseDirectory }: Pick<Pipeline, 'baseDirectory'>) {
    this.baseDirectory = baseDirectory;
  }

  resolve(file: string): string {
    return file === '-' ? file : resolve(this.baseDirectory, file);
  }

  /** @throws TagstreamError `file` */
  read(file: string): Uint8Array {
    return readBytes(this.resolve(file));
  }
}

/** What all parts of a run share. Builders receive it with the parts of the plan that they need; it never changes. */
export interface RunContext {
  readonly paths: PipelinePaths;
  /** The components that the pipeline can name. */
  readonly catalogue: Components;
  readonly events: RunEvents;
  /** Where the run publishes its status, if requested. */
  readonly status: RunStatus | undefined;
  /** Its abort ends the run in an orderly way. */
  readonly signal: AbortSignal | undefined;
  /** The checkpoint that training resumes from. */
  readonly restored: CheckpointParts | undefined;
  readonly kernel: Kernel;
  /** The lock of the checkpoint folder, if there is one. */
  readonly lock: FileLock | undefined;
  /** Tracks the records in flight, by stage. */
  readonly ledger: FlowLedger;
  /** Closes what was opened for the run. */
  readonly scope: Scope;
}

/** The parts of its context that a run may provide; the rest is created. */
export type ContextGiven = {
  readonly [Name in Exclude<keyof RunContext, 'paths' | 'catalogue'>]?:
    | RunContext[Name]
    | undefined;
};

/**
 * Returns the context of a run of a pipeline: by default, without events, on the default kernel, with its own ledger
 * and scope.
 */
export function runContext(
  pipeline: Pick<Pipeline, 'baseDirectory' | 'catalogue'>,
  given: ContextGiven = {},
): RunContext {
  const { events = {}, status, signal, restored, kernel = defaultKernel, lock } = given;
  const { ledger = new FlowLedger(), scope = new Scope() } = given;
  return {
    paths: new PipelinePaths(pipeline),
    catalogue: pipeline.catalogue,
    ...{ events, status, signal, restored, kernel, lock, ledger, scope },
  };
}
