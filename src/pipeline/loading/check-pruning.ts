import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';

interface L1 {
  readonly l1: number;
  readonly penalty: string;
}

/**
 * Checks that features can be pruned where the file asks for it: on a stream, by an optimizer that makes
 * weights zero, and never while sentences that were encoded before are still to be learned from.
 *
 * @throws TagstreamError `config` at the setting that does not go with it
 */
export function checkPruning(pipeline: Pipeline, checker: Checker): void {
  const at = (name: string) =>
    pipeline.stages.findIndex(({ component }) => component.name === name);
  const featurize = at('featurize');
  const chosen = pipeline.stages[featurize]?.options as
    | { prune?: { every: number }; support: string }
    | undefined;
  if (chosen?.prune === undefined) return;
  const path = ['stages', featurize, 'featurize'];
  const refuse = (
    problem: string,
    fix: string,
    where: (string | number)[] = [...path, 'prune'],
  ) => {
    throw checker.fail(where, problem, fix);
  };
  if (!pipeline.trains) {
    refuse('the pipeline trains nothing, so no feature loses its weight', 'leave prune out');
  }
  if (pipeline.train?.epochs !== undefined) {
    refuse(
      'features are pruned on a stream that is read once, not in several passes',
      'leave prune or train.epochs out; sgd-l1 writes a small model all the same',
    );
  }
  if (chosen.support === 'observed') {
    refuse('features with observed pairs are not pruned', 'use support: all, or leave prune out', [
      ...path,
      'support',
    ]);
  }
  const l1 = (pipeline.stages[at('optimize')]!.options as { 'sgd-l1'?: L1 })['sgd-l1'];
  if (l1 === undefined || l1.l1 === 0 || l1.penalty === 'naive') {
    refuse('only sgd-l1 makes weights zero', 'use optimize: { sgd-l1: { l1: 1 } }', [
      'stages',
      at('optimize'),
      'optimize',
    ]);
  }
  const batch = at('batch');
  if (pipeline.stages[batch]!.options.tokens !== undefined) {
    refuse(
      'a minibatch of so many tokens ends with a sentence that is not in it, which pruning must not meet',
      'give batch the option sentences alone',
      ['stages', batch, 'batch', 'tokens'],
    );
  }
  const held = pipeline.plan.batch.most;
  if (chosen.prune.every < held) {
    refuse(
      `pruning every ${chosen.prune.every} sentences is within a minibatch of ${held}`,
      `give every at least ${held}`,
      [...path, 'prune', 'every'],
    );
  }
}
