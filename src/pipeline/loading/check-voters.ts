import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';

/**
 * Checks that nothing is asked for that weights which vote do not have.
 *
 * @throws TagstreamError `config` at `train.threshold`, `train.temperature` or `train.compact`
 */
export function checkVoters({ stages, train, catalogue }: Pipeline, checker: Checker): void {
  const optimize = stages.find(({ component }) => component.name === 'optimize');
  const [name] = Object.keys(optimize?.options ?? {});
  if (name === undefined || catalogue.optimizers.find(name)?.votes !== true) return;
  if (train?.threshold !== undefined) {
    throw checker.fail(
      ['train', 'threshold'],
      'all intermediate weights vote, and a threshold would apply to their average only',
      'leave threshold out, or use optimize: { perceptron: {} }',
    );
  }
  if (train?.temperature !== undefined) {
    throw checker.fail(
      ['train', 'temperature'],
      'all intermediate weights vote, and only one set of weights can be divided',
      'leave temperature out, or use optimize: { perceptron: {} }',
    );
  }
  if (train?.compact === true) {
    throw checker.fail(
      ['train', 'compact'],
      'all intermediate weights vote, and only one set of weights can be rounded',
      'leave compact out, or use optimize: { perceptron: {} }',
    );
  }
}
