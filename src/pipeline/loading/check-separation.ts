import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import { unfitForSeparation } from '../trainers/unfit-for-separation.js';

/**
 * Checks that the mistakes of a whole pass can be counted where the file asks for training to end without any.
 *
 * @throws TagstreamError `config` at `untilSeparated`
 */
export function checkSeparation(pipeline: Pipeline, checker: Checker): void {
  const i = pipeline.stages.findIndex(({ component }) => component.name === 'optimize');
  const unfit = unfitForSeparation(pipeline.stages[i]?.options ?? {}, pipeline.train ?? {});
  if (unfit === undefined) return;
  const path = ['stages', i, 'optimize', 'perceptron', 'untilSeparated'];
  throw checker.fail(path, unfit.problem, unfit.fix);
}
