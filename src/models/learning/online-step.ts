import type { Contribution } from '../../core/training/contribution.js';
import type { Ending } from '../../core/training/trainer.js';
import type { TrainingStep } from '../../core/training/training-step.js';

/**
 * A step of an online optimizer. Made by a constructor and not as a literal: the engine notes of each literal how long its
 * objects live, and whoever keeps the last step lets those live that are made while it collects; it then makes all steps
 * where only a collection of the whole heap frees them, with all that they refer to.
 */
export class OnlineStep implements TrainingStep {
  readonly contribution: Contribution;
  readonly step: number;
  readonly sentencesSeen: number;
  readonly meanLoss: number;
  readonly passEnd: number | undefined;
  readonly ending: Ending | undefined;

  constructor(
    contribution: Contribution,
    step: number,
    sentencesSeen: number,
    meanLoss: number,
    passEnd: number | undefined,
    ending: Ending | undefined,
  ) {
    this.contribution = contribution;
    this.step = step;
    this.sentencesSeen = sentencesSeen;
    this.meanLoss = meanLoss;
    this.passEnd = passEnd;
    this.ending = ending;
  }
}
