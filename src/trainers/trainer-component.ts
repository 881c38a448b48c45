import type { Component } from '../core/component.js';
import type { Trainer } from '../core/trainer.js';
import type { Objective } from './objective.js';

/** What a trainer works on. */
export interface TrainerContext {
  /** The objective with the L2 penalty that the options ask for. */
  objective(l2: number): Objective;
}

/** How a trainer appears in the catalogue. */
export interface TrainerComponent<Options> extends Component<Options, TrainerContext, Trainer> {
  /** Set where its work is not evaluations of the whole objective, so that threads cannot share it. */
  readonly oneThread?: boolean;
}
