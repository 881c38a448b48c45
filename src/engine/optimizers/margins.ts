import type { Contribution } from '../core/training/contribution.js';
import type { PassMargin } from '../core/training/trainer.js';
import { hasWrong } from './wrong-tokens.js';

/** A loss that defines margins; see `Loss`. */
interface MarginLoss {
  readonly smooth: boolean;
  margin(loss: number): number;
}

/**
 * Number of mistakes and the smallest margin of a pass, from each sentence's loss, without extra inference.
 * Sentences without labels or weight are skipped. Cost O(tokens * labels) at most.
 */
export class Margins {
  readonly #loss: MarginLoss;
  #mistakes = 0;
  #smallest = Number.POSITIVE_INFINITY;

  /** @param before the sums of the pass so far */
  constructor(loss: MarginLoss, before?: PassMargin) {
    this.#loss = loss;
    if (before !== undefined) {
      this.#mistakes = before.mistakes;
      this.#smallest = before.smallest;
    }
  }

  /** Returns the margins of a loss; undefined if the loss has none. */
  static of(loss: Partial<MarginLoss>, before?: PassMargin): Margins | undefined {
    return loss.margin === undefined ? undefined : new Margins(loss as MarginLoss, before);
  }

  note(contribution: Contribution): void {
    const { losses } = contribution;
    const { labelled, weights } = contribution.minibatch;
    for (let s = 0; s < labelled.length; s += 1) {
      const weight = weights?.[s] ?? 1;
      if (labelled[s] === 0 || weight === 0) continue;
      const margin = this.#loss.margin(losses[s]! / weight);
      if (margin < this.#smallest) this.#smallest = margin;
      if (this.#loss.smooth ? margin < 0 : hasWrong(contribution, s)) this.#mistakes += 1;
    }
  }

  /** The sums of the pass so far; undefined if no sentence has a margin, for example with a single label. */
  get sums(): PassMargin | undefined {
    if (!Number.isFinite(this.#smallest)) return undefined;
    return { mistakes: this.#mistakes, smallest: this.#smallest };
  }
}
