import type { Checker } from './file/check.js';
import type { Pipeline } from './pipeline.js';

/**
 * Checks that nothing is asked for that weights which vote do not have.
 *
 * @throws TagstreamError `config` at `train.threshold`
 */
export function checkVoters({ stages, train }: Pipeline, checker: Checker): void {
  const optimize = stages.find(({ component }) => component.name === 'optimize');
  if (optimize === undefined || !Object.hasOwn(optimize.options, 'voted-perceptron')) return;
  if (train?.threshold !== undefined) {
    throw checker.fail(
      ['train', 'threshold'],
      'all weights on the way vote, and a threshold would leave out those of the average alone',
      'leave threshold out, or use optimize: { perceptron: {} }',
    );
  }
}
