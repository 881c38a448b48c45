import type { Observable } from 'rxjs';
import { TagstreamError } from '../../core/errors.js';
import type { Contribution } from '../../core/training/contribution.js';
import { optimize } from '../../operators/optimize.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { ThreadGroup } from '../../workers/thread-group.js';
import type { RunSetup } from '../definition/run-setup.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import { isBatch, learnerOf } from '../learners/learner-of.js';
import { oneOf } from '../options/one-of.js';
import { modulesForThreads } from '../plugins/modules-for-threads.js';
import { openCluster, openSums } from '../setup/open-cluster.js';
import { restorePart } from '../setup/restore-run.js';

/** The stage `optimize` with the optimizers that it can name. */
export function optimizeStage(
  optimizers: readonly OptimizerComponent<never>[],
  trainers: readonly TrainerComponent<never>[],
): StageComponent {
  return defineStage({
    name: 'optimize',
    summary: 'updates the weights with an optimizer',
    example: 'optimize: { sgd: { eta0: 0.1, l2: 0.5 } }',
    takes: ['contribution'],
    gives: 'training step',
    options: oneOf([...optimizers, ...trainers]),
    create(chosen, setup) {
      const { model, loss, train } = setup;
      if (loss === undefined) throw noLoss();
      const workers = train?.workers ?? 1;
      const group = workers > 1 ? groupOf(workers, setup) : undefined;
      // `iterate` takes the place of this stage, and of those before it, where the optimizer is a batch one.
      const { minibatches } = setup;
      const cluster = train?.cluster;
      const sums = cluster !== undefined && isBatch(chosen, { optimizers, trainers });
      const remote = sums ? openSums(cluster, setup) : undefined;
      const parts = { model, loss, train, group, remote, minibatches };
      const learner = learnerOf(chosen, parts, { optimizers, trainers });
      if (setup.restored !== undefined) {
        restorePart(setup.restored, 'learner', state => learner.restore(state));
      }
      learner.onEvicted = features => setup.events.onEvicted?.(features);
      setup.learner = learner;
      if (cluster !== undefined && !sums) openCluster(cluster, setup);
      return (source: Observable<Contribution>) => source.pipe(optimize(learner));
    },
  });
}

function noLoss(): TagstreamError {
  return new TagstreamError('config', 'the pipeline has no loss', {
    fix: 'put contribute before optimize',
  });
}

/** Threads that start when the run does, and end with it. */
function groupOf(workers: number, setup: RunSetup): ThreadGroup {
  const { preparations, endings } = setup;
  const group = new ThreadGroup(workers, modulesForThreads(setup.catalogue.plugins));
  preparations.push(async () => group.open());
  endings.push(() => group.close());
  return group;
}
