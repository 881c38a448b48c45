import type { Precision, Reals } from '../../../core/arrays.js';
import type { StorePlaces } from '../../../kernels/store/placed-store.js';
import type { SharedLoss } from '../../../losses/loss.js';

/** How the sentences of a pass are put into minibatches, as the stage `batch` does. */
export interface MinibatchLimits {
  readonly sentences?: number | undefined;
  readonly tokens?: number | undefined;
}

/** What all shards of a training share; plain data that can be sent to another machine. */
export interface ShardJob {
  readonly precision: Precision;
  /** The parameters without their numbers. */
  readonly shape: Omit<StorePlaces, 'planes'>;
  readonly loss: SharedLoss;
  /** Name of the optimizer, and its checked options. */
  readonly optimizer: { readonly name: string; readonly options: unknown };
  /** Sentences of all shards. */
  readonly corpusSize: number;
  readonly minibatches: MinibatchLimits;
  readonly seed: number;
  readonly shuffle: boolean;
  /** Set for a round of a stream: what came before it, and what to return. */
  readonly round?: StreamRound | undefined;
}

/** A round of a stream: a pass over shards that are learned from once. */
export interface StreamRound {
  /** Sentences that were learned from before it. */
  readonly seen: number;
  /** Whether the labels are wanted that each sentence had just before it was learned from. */
  readonly predict: boolean;
}

/** The numbers of a plane: those of its three tables. */
export type PlaneNumbers = readonly Reals[];

/** What all shards start a pass from: the mixed weights, then what the optimizer adds up over sentences. */
export type MixedPlanes = readonly PlaneNumbers[];

/** What a pass over a shard comes to; can be sent likewise. */
export interface ShardResult {
  readonly sentences: number;
  readonly tokens: number;
  /** Sum of the losses, each at the weights before its minibatch. */
  readonly loss: number;
  /** What has changed in each plane of the start. */
  readonly planes: readonly Uint8Array[];
  /** Sentences whose weights the average is of. */
  readonly averaged: number;
  /** Where it differs from the weights of the start; absent where nothing is averaged. */
  readonly average?: Uint8Array | undefined;
  /** What was predicted of the sentences, where that is wanted. */
  readonly predictions?: ShardPredictions | undefined;
}

/** What a shard's own weights said of each sentence just before they learned from it, in the order of the shard. */
export interface ShardPredictions {
  /** The best label of each token. */
  readonly labels: Int32Array;
  /** The loss of each sentence. */
  readonly losses: Float64Array;
}
