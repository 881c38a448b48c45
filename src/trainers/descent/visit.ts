import type { VisitBlock } from './visit-blocks.js';

/** The loss of the sentences that contain an observation, as a function of the weights of its features. */
export interface Visit {
  readonly blocks: readonly VisitBlock[];
  /** Sentences that are looked at, and their tokens. */
  readonly sentences: { readonly count: number; readonly tokens: number };
  /** The weights; `place` makes them those of the parameters. */
  readonly weights: Float64Array;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  /** Puts the weights into the parameters, and reads back what is left of them in their precision. */
  place(): void;
  /** The loss of the sentences; gradient and curvature are then those at the present weights. */
  evaluate(): number;
}
