import type { Precision } from '../../core/reals.js';
import type { GroupSignals } from '../../kernels/group/group-signals.js';
import type { CorpusPlaces } from '../../kernels/group/placed-corpus.js';
import type { StepPlaces } from '../../kernels/group/step-memory.js';
import type { WasmMemory } from '../../kernels/memory/wasm-memory.js';
import type { StorePlaces } from '../../kernels/store/store-places.js';
import type { SharedLoss } from '../../losses/loss.js';
import type { FreshState } from '../learning/fresh-state.js';

/**
 * How several threads train together. `deterministic`: the same bytes for any number of threads. `hogwild`:
 * they update shared weights without locks, faster; no two runs give the same bytes. Niu, Recht, Re and
 * Wright (2011) name it.
 */
export type GroupMode = 'deterministic' | 'hogwild';

/** All that a thread needs to become a member; can be sent to it. */
export interface GroupJob {
  readonly memory: WasmMemory;
  readonly mode: GroupMode;
  readonly precision: Precision;
  readonly store: StorePlaces;
  readonly corpus: CorpusPlaces;
  readonly step: StepPlaces;
  readonly loss: SharedLoss;
  /** What optimizers are before their first sentence, where there are several seeds. */
  readonly fresh?: FreshState | undefined;
  readonly optimizer: {
    readonly name: string;
    readonly options: unknown;
    readonly corpusSize: number;
    /** Its state but for what lies in the shared memory. */
    readonly json: Readonly<Record<string, unknown>>;
    readonly arrays: Readonly<Record<string, ArrayBufferView>>;
  };
}

/** A group of threads that wait for a job. */
export interface WorkerGroup {
  /** Threads, the main one included. */
  readonly members: number;
  readonly signals: GroupSignals;
  /** Gives the other threads their job; they take commands from then on. */
  start(job: GroupJob): void;
  /** Lets the threads end. */
  close(): Promise<void>;
}
