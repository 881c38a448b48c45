import { lossComponents } from '../../losses/loss-components.js';
import { losses } from '../../losses/losses.js';
import { optimizers } from '../catalogue/optimizers.js';
import { trainers } from '../catalogue/trainers.js';
import { batchTrainer } from '../definition/batch-trainer.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import type { Path } from '../file/yaml-document.js';
import { alone } from '../trainers/alone.js';

/**
 * Checks that a training can be shared by many machines: passes over a corpus by components that each of them knows.
 *
 * @throws TagstreamError `config` at what cannot
 */
export function checkCluster(pipeline: Pipeline, checker: Checker): void {
  const { train, stages } = pipeline;
  if (train?.cluster === undefined) return;
  const refuse = (path: Path, problem: string, fix: string) => {
    throw checker.fail(path, problem, fix);
  };
  if (train.epochs === undefined) {
    refuse(
      ['train', 'cluster'],
      'many machines train on a corpus, not on a stream',
      'give train.epochs, or leave cluster out',
    );
  }
  const trainer = batchTrainer(pipeline);
  if (trainer !== undefined && alone(trainer)) {
    refuse(
      ['train', 'cluster'],
      `the batch optimizer ${trainer.component.name} works on one machine`,
      'leave cluster out, or use one that evaluates the whole objective, as lbfgs',
    );
  }
  if (train.workers > 1) {
    refuse(
      ['train', 'workers'],
      'each task of a cluster is done by one thread',
      'leave workers out, and start more of tagstream cluster work',
    );
  }
  if ((train.dropout ?? 0) > 0) {
    refuse(
      ['train', 'dropout'],
      'many machines train without dropout',
      'leave dropout out (--set train.dropout=0), or cluster',
    );
  }
  for (const [i, { component, options }] of stages.entries()) {
    const chosen = component.name === 'optimize' ? options : options.loss;
    const known =
      component.name === 'optimize' ? [...optimizers, ...trainers] : [...losses, ...lossComponents];
    if (component.name !== 'optimize' && component.name !== 'contribute') continue;
    const name = typeof chosen === 'string' ? chosen : Object.keys(chosen as object)[0];
    if (known.some(each => each.name === name)) continue;
    refuse(
      ['stages', i, component.name],
      `workers on other machines do not know ${name}, which is of a plug-in`,
      'use a component of Tagstream, or leave train.cluster out',
    );
  }
}
