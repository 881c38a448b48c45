import type { Precision } from '../../core/reals.js';
import type { GroupSignals } from '../../kernels/group/group-signals.js';
import type { CorpusPlaces } from '../../kernels/group/placed-corpus.js';
import type { WasmMemory } from '../../kernels/memory/wasm-memory.js';
import type { StorePlaces } from '../../kernels/store/store-places.js';
import type { SharedLoss } from '../../losses/loss.js';
import type { SpacePlaces } from '../space/member-pieces.js';

/** All that a thread needs to evaluate its shards of an objective; can be sent to it. */
export interface ObjectiveJob {
  /** Memory that all threads share. */
  readonly memory: WasmMemory;
  readonly precision: Precision;
  readonly loss: SharedLoss;
  readonly corpus: CorpusPlaces;
  readonly shape: Omit<StorePlaces, 'planes'>;
  readonly exchange: ExchangePlaces;
  readonly space: SpacePlaces;
}

/** Where the threads give each other losses and sums. */
export interface ExchangePlaces {
  readonly offset: number;
  /** Free parameters. */
  readonly size: number;
  readonly shards: number;
  readonly sentences: number;
}

/** A group of threads that wait for a job. */
export interface ObjectiveGroup {
  /** Threads, the main one included. */
  readonly members: number;
  readonly signals: GroupSignals;
  /** Gives the other threads their job; they take commands from then on. */
  start(job: ObjectiveJob): void;
}
