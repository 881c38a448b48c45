import { lossComponents } from '../../losses/loss-components.js';
import { losses } from '../../losses/losses.js';
import { optimizers } from '../catalogue/optimizers.js';
import { trainers } from '../catalogue/trainers.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { Checker } from '../file/check.js';
import type { Path } from '../file/yaml-document.js';
import { batchOptimizer } from '../plan/plan.js';
import { alone } from '../trainers/alone.js';

type Refuse = (path: Path, problem: string, fix: string) => void;

/**
 * Checks that a training can be shared by many machines: passes over a corpus, or rounds of a
 * stream, by components that each of them knows.
 *
 * @throws TagstreamError `config` at what cannot
 */
export function checkCluster(pipeline: Pipeline, checker: Checker): void {
  const { train, stages } = pipeline;
  if (train?.cluster === undefined) return;
  const refuse: Refuse = (path, problem, fix) => {
    throw checker.fail(path, problem, fix);
  };
  const { every } = train.cluster;
  if (train.epochs === undefined && every === undefined) {
    refuse(
      ['train', 'cluster'],
      'a stream has no passes after which the shards are mixed',
      'give train.cluster.every: sentences from one mixing to the next; or train.epochs for a corpus',
    );
  }
  if (train.epochs !== undefined && every !== undefined) {
    refuse(
      ['train', 'cluster', 'every'],
      'the shards of a corpus are mixed after each pass',
      'leave every out, or epochs for a stream that is learned from once',
    );
  }
  checkStream(pipeline, refuse);
  const trainer = batchOptimizer(pipeline.plan);
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

/** What only a single learner does with a stream. */
function checkStream({ train, stages }: Pipeline, refuse: Refuse): void {
  if (train?.epochs !== undefined) return;
  const tag = stages.findIndex(({ component }) => component.name === 'tag');
  if (tag >= 0) {
    refuse(
      ['stages', tag, 'tag'],
      'a learner that is split by key tags no records: it has its weights at the end of a round only',
      'tag in a pipeline of its own, with a model that the stage checkpoint writes (model: true)',
    );
  }
}
