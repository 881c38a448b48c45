import { batchTrainer } from '../definition/batch-trainer.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';

/**
 * Checks that features can be left out at random where the file asks for it: in passes over a corpus, by an
 * online optimizer in one thread.
 *
 * @throws TagstreamError `config` at `train.dropout`
 */
export function checkDropout(pipeline: Pipeline, checker: Checker): void {
  const { train } = pipeline;
  if (train?.dropout === undefined || train.dropout === 0) return;
  const refuse = (problem: string, fix: string) => {
    throw checker.fail(['train', 'dropout'], problem, fix);
  };
  if (train.epochs === undefined) {
    refuse(
      'dropout needs passes over a corpus, not a stream',
      'give train.epochs, or leave dropout out',
    );
  }
  const trainer = batchTrainer(pipeline);
  if (trainer !== undefined) {
    refuse(
      `the batch optimizer ${trainer.component.name} needs a fixed objective`,
      'use an online optimizer as sgd, or leave dropout out',
    );
  }
  if (train.workers > 1) {
    refuse(
      'several workers share one corpus without dropout',
      'leave dropout out (--set train.dropout=0), or workers',
    );
  }
}
