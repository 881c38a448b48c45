import type { Observable } from 'rxjs';
import type { Contribution } from '../../core/contribution.js';
import { TagstreamError } from '../../core/errors.js';
import { BatchLearner } from '../../models/batch-learner.js';
import { ParallelLearner, type ParallelOptions } from '../../models/crew/parallel-learner.js';
import { Learner } from '../../models/learner.js';
import { optimize } from '../../operators/optimize.js';
import { Objective } from '../../trainers/objective.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import { TrainingCrew } from '../../workers/training-crew.js';
import { optimizers } from '../catalogue/optimizers.js';
import { trainers } from '../catalogue/trainers.js';
import { chosenOf, oneOf } from '../one-of.js';
import { restorePart } from '../restore-run.js';
import type { RunSetup } from '../run-setup.js';
import type { TrainOptions } from '../train-options.js';
import { onlineLoss, smoothLoss } from '../trainers/needed-loss.js';
import { defineStage } from './stage-component.js';

export const optimizeStage = defineStage({
  name: 'optimize',
  summary: 'updates the weights by an optimizer',
  example: 'optimize: { sgd: { eta0: 0.1, l2: 0.5 } }',
  takes: ['contribution'],
  gives: 'training step',
  options: oneOf([...optimizers, ...trainers]),
  create(chosen, setup) {
    const trainer = trainers.find(({ name }) => Object.hasOwn(chosen, name));
    if (trainer !== undefined) return batchOptimizer(trainer, chosen[trainer.name], setup);
    const { component, options } = chosenOf(optimizers, chosen);
    if (setup.loss === undefined) throw noLoss();
    const needed = onlineLoss(component, setup.loss);
    if (needed !== undefined) throw unfitLoss(component.name, setup.loss.name, needed);
    const { model, loss, train } = setup;
    const { kernel, parameters } = model;
    const endless = train?.epochs === undefined;
    const create = (corpusSize: number) =>
      component.create(options as never, { kernel, parameters, corpusSize, endless });
    const learner =
      train !== undefined && train.workers > 1
        ? parallelLearner(setup, train, { loss, optimizer: component.name, options })
        : new Learner(model, loss, create, train?.corpusSize);
    if (setup.restored !== undefined) {
      restorePart(setup.restored, 'learner', state => learner.restore(state));
    }
    setup.learner = learner;
    return (source: Observable<Contribution>) => source.pipe(optimize(learner));
  },
});

/** A learner by a batch optimizer; `iterate` takes the place of this stage and those before it. */
function batchOptimizer(component: TrainerComponent<never>, options: unknown, setup: RunSetup) {
  const { model, loss } = setup;
  if (loss === undefined) throw noLoss();
  const needed =
    component.needs === undefined ? smoothLoss(loss) : component.needs(options as never, loss);
  if (needed !== undefined) throw unfitLoss(component.name, loss.name, needed);
  const { kernel, parameters } = model;
  const { workers, seed, shuffle } = setup.train!;
  const crew = workers > 1 ? crewOf(workers, setup) : undefined;
  const learner = new BatchLearner(model, loss, corpus =>
    component.create(options as never, {
      objective: l2 => new Objective({ kernel, parameters, corpus, loss, l2, crew }),
      order: { seed, shuffle },
    }),
  );
  if (setup.restored !== undefined) {
    restorePart(setup.restored, 'learner', state => learner.restore(state));
  }
  setup.learner = learner;
  return (source: Observable<Contribution>) => source.pipe(optimize(learner));
}

function noLoss(): TagstreamError {
  return new TagstreamError('config', 'the pipeline has no loss', {
    fix: 'put contribute before optimize',
  });
}

function unfitLoss(optimizer: string, loss: string, expected: string): TagstreamError {
  return new TagstreamError(
    'config',
    `the optimizer ${optimizer} does not go with the loss ${loss}`,
    { fix: `give contribute the loss ${expected}` },
  );
}

/** A learner with several threads, which start when the run does. */
function parallelLearner(
  setup: RunSetup,
  { workers, mode, corpusSize }: TrainOptions,
  given: Pick<ParallelOptions, 'loss' | 'optimizer' | 'options'>,
): ParallelLearner {
  const crew = crewOf(workers, setup);
  return new ParallelLearner(setup.model, { ...given, mode, crew, corpusSize });
}

/** Threads that start when the run does, and end with it. */
function crewOf(workers: number, { preparations, endings }: RunSetup): TrainingCrew {
  const crew = new TrainingCrew(workers);
  preparations.push(async () => crew.open());
  endings.push(() => crew.close());
  return crew;
}
