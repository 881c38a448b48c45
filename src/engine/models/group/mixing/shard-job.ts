import type { Precision, Reals } from '../../../core/arrays.js';
import type { StorePlaces } from '../../../kernels/store/placed-store.js';
import type { SharedLoss } from '../../../losses/loss.js';

/** Minibatch limits of a pass, as in the stage `batch`. */
export interface MinibatchLimits {
  readonly sentences?: number | undefined;
  readonly tokens?: number | undefined;
}

/** Data shared by all shards of a training; plain data that can be sent to another machine. */
export interface ShardJob {
  readonly precision: Precision;
  /** The parameters without their numbers. */
  readonly shape: Omit<StorePlaces, 'planes'>;
  readonly loss: SharedLoss;
  /** Name of the optimizer, and its checked options. */
  readonly optimizer: { readonly name: string; readonly options: unknown };
  /** Number of sentences in all shards. */
  readonly corpusSize: number;
  readonly minibatches: MinibatchLimits;
  readonly seed: number;
  readonly shuffle: boolean;
  /** The stream's history and the requested results, for a round of a stream. */
  readonly round?: StreamRound | undefined;
}

/** A round of a stream: a single pass over shards. */
export interface StreamRound {
  /** Number of sentences learned from before the round. */
  readonly seen: number;
  /** Whether to return each sentence's labels as predicted just before learning from it. */
  readonly predict: boolean;
}

/** Numbers of a plane, in its three tables. */
export type PlaneNumbers = readonly Reals[];

/**
 * The starting point of all shards in a pass: the mixed weights, then the optimizer's sums over sentences.
 */
export type MixedPlanes = readonly PlaneNumbers[];

/** The result of a pass over a shard; it can also be sent to another machine. */
export interface ShardResult {
  readonly sentences: number;
  readonly tokens: number;
  /** Sum of the losses, each computed with the weights before its minibatch. */
  readonly loss: number;
  /** Changes of each plane since the start. */
  readonly planes: readonly Uint8Array[];
  /** Number of sentences in the average. */
  readonly averaged: number;
  /** Difference of the average from the weights at the start; absent if nothing is averaged. */
  readonly average?: Uint8Array | undefined;
  /** Predictions for the sentences, if requested. */
  readonly predictions?: ShardPredictions | undefined;
}

/** A shard's predictions for each sentence just before learning from it, in shard order. */
export interface ShardPredictions {
  /** The best label of each token. */
  readonly labels: Int32Array;
  /** The loss of each sentence. */
  readonly losses: Float64Array;
}
