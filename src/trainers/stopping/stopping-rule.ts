import { wrongState } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import type { Ending } from '../../core/training/trainer.js';

/** When batch training is done. */
export interface StoppingOptions {
  /** Length of the gradient, relative to that of the weights (or 1), that counts as zero. */
  readonly tolerance: number;
  /** Least relative decrease of the objective over `period` iterations. 0: not looked at. */
  readonly decrease: number;
  readonly period: number;
}

/**
 * Says when to stop: at |gradient| <= tolerance * max(1, |w|), or when over the last `period` iterations
 * the objective fell by less than the share `decrease` of what it is.
 */
export class StoppingRule {
  readonly #options: StoppingOptions;
  /** The objective after each of the last `period` iterations, the oldest first. */
  #past: number[] = [];

  constructor(options: StoppingOptions) {
    this.#options = options;
  }

  /** To be asked once for each iteration. */
  ending(objective: number, gradientNorm: number, weightNorm: number): Ending | undefined {
    const { tolerance, decrease, period } = this.#options;
    if (gradientNorm <= tolerance * Math.max(1, weightNorm)) return 'gradient';
    const before = this.#past.length === period ? this.#past.shift() : undefined;
    this.#past.push(objective);
    if (decrease === 0 || before === undefined) return undefined;
    return before - objective < decrease * Math.abs(objective) ? 'decrease' : undefined;
  }

  get past(): readonly number[] {
    return this.#past;
  }

  restore(past: readonly number[]): void {
    this.#past = [...past];
  }
}

/**
 * The objectives of a stopping rule that a trainer has saved as `past`.
 *
 * @throws TagstreamError `checkpoint` if they are not numbers
 */
export function readPast({ json: { past } }: State): number[] {
  if (Array.isArray(past) && past.every(value => typeof value === 'number')) return past;
  throw wrongState('past is no list of numbers');
}
