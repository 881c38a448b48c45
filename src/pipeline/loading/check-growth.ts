import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';

/**
 * Checks that a model which learns from a stream can be kept to a limit, and that no other is given one.
 *
 * @throws TagstreamError `config` at the setting that does not go with it
 */
export function checkGrowth({ stages, train, trains }: Pipeline, checker: Checker): void {
  const featurize = stages.findIndex(({ component }) => component.name === 'featurize');
  const chosen = stages[featurize]?.options;
  if (chosen === undefined) return;
  const path = ['stages', featurize, 'featurize'];
  const isStream = trains && train?.epochs === undefined;
  const given = ['maxFeatures', 'maxBytes'].find(name => chosen[name] !== undefined);
  if (!isStream && given !== undefined) {
    throw checker.fail(
      [...path, given],
      'only a model that learns from a stream has a limit; a corpus is finite',
      'leave it out; cutoff and sgd-l1 make a model smaller',
    );
  }
  if (isStream && chosen.support === 'observed' && chosen.hashed === undefined) {
    throw checker.fail(
      [...path, 'support'],
      'on a stream, features with observed pairs would grow without end, as none can make room',
      'use support: all, give hashed, or give train.epochs and read the data as a corpus',
    );
  }
}
