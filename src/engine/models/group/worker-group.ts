import type { Precision } from '../../core/arrays.js';
import { TagstreamError } from '../../core/errors.js';
import type { GroupSignals } from '../../kernels/group/group-signals.js';
import type { CorpusPlaces } from '../../kernels/group/placed-corpus.js';
import type { StepPlaces } from '../../kernels/group/step-memory.js';
import type { WasmMemory } from '../../kernels/memory/linear-memory.js';
import type { StorePlaces } from '../../kernels/store/placed-store.js';
import type { Loss, SharedLoss } from '../../losses/loss.js';
import { losses } from '../../losses/losses.js';
import { sharedLoss } from '../../losses/shared-loss.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { optimizers } from '../../optimizers/optimizers.js';
import type { FreshState } from '../learning/seed-mean.js';

/**
 * The mode in which several threads train together. `deterministic`: the same bytes for any number of
 * threads. `hogwild`: updates of shared weights without locks, which is faster, but no two runs give the
 * same bytes. The name is from Niu, Recht, Re and Wright (2011).
 */
export type GroupMode = 'deterministic' | 'hogwild';

/** Everything that a thread needs to join the group; can be sent to the thread. */
export interface GroupJob {
  readonly memory: WasmMemory;
  readonly mode: GroupMode;
  readonly precision: Precision;
  readonly store: StorePlaces;
  readonly corpus: CorpusPlaces;
  readonly step: StepPlaces;
  readonly loss: SharedLoss;
  /** Initial state of the optimizers, if there are several seeds. */
  readonly fresh?: FreshState | undefined;
  readonly optimizer: {
    readonly name: string;
    readonly options: unknown;
    readonly corpusSize: number;
    /** State of the optimizer, without the parts in shared memory. */
    readonly json: Readonly<Record<string, unknown>>;
    readonly arrays: Readonly<Record<string, ArrayBufferView>>;
  };
}

/** A group of threads that wait for a job. */
export interface WorkerGroup {
  /** Number of threads, including the main one. */
  readonly members: number;
  readonly signals: GroupSignals;
  /** Sends the other threads their job, after which they accept commands. */
  start(job: GroupJob): void;
  /** Ends the threads. */
  close(): Promise<void>;
}

/**
 * Returns the optimizer with a name; only names can be sent to another thread.
 *
 * @param known optimizers known to the threads
 * @throws TagstreamError `config` if threads cannot share its work at all or in this mode
 */
export function groupOptimizer(
  name: string,
  mode: GroupMode,
  known: readonly OptimizerComponent<never>[] = optimizers,
): OptimizerComponent<never> {
  const component = found(known, name, 'optimizer');
  const isDeterministic = mode === 'deterministic';
  const mayShare = isDeterministic ? component.contributes !== true : component.hogwild === true;
  if (mayShare) return component;
  const problem = isDeterministic
    ? `threads and machines cannot share the work of the optimizer ${name}`
    : `the optimizer ${name} cannot be combined with mode: ${mode}`;
  const fix = component.contributes === true ? '' : 'mode: deterministic, or ';
  throw new TagstreamError('config', problem, { fix: `use ${fix}workers: 1` });
}

/**
 * Returns the loss after checking that it can be sent to another thread.
 *
 * @throws TagstreamError `config` if it cannot
 */
export function groupLoss(loss: Loss): Loss {
  if (sharedLoss(loss) === undefined) throw unshared(losses, loss.name, 'loss');
  return loss;
}

function found<Item extends { readonly name: string }>(
  items: readonly Item[],
  name: string,
  kind: string,
): Item {
  const item = items.find(candidate => candidate.name === name);
  if (item !== undefined) return item;
  throw unshared(items, name, kind);
}

function unshared(
  items: readonly { readonly name: string }[],
  name: string,
  kind: string,
): TagstreamError {
  const names = items.map(candidate => candidate.name).join(', ');
  return new TagstreamError('config', `workers cannot be combined with the ${kind} ${name}`, {
    fix: `use one of ${names}, or workers: 1`,
  });
}
