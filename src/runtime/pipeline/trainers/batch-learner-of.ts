import { TagstreamError } from '../../../engine/core/errors.js';
import { requireStructure } from '../../../engine/inference/structures/structures.js';
import type { Loss } from '../../../engine/losses/loss.js';
import { BatchLearner } from '../../../engine/models/learning/batch-learner.js';
import { requireSinglePairs } from '../../../engine/models/learning/learner.js';
import type { Model } from '../../../engine/models/model.js';
import { Objective } from '../../../engine/trainers/objective.js';
import type {
  ObjectiveGroup,
  RemoteSums,
} from '../../../engine/trainers/shards/objective-group.js';
import type { PassOrder, TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import { featureParts } from './induction.js';
import { unfitForScorer } from './trainer-traits.js';

/** The parts that a learner with a batch optimizer uses. */
export interface BatchParts {
  readonly model: Model;
  readonly loss: Loss;
  /** Threads that share the sums over the corpus. */
  readonly group?: ObjectiveGroup | undefined;
  /** Computes sums over the corpus instead of this process. */
  readonly remote?: RemoteSums | undefined;
  /** Order of the passes of an online optimizer, if the trainer uses one. Default: shuffled with seed 1. */
  readonly order?: PassOrder | undefined;
}

/**
 * Returns a learner for a batch optimizer and its checked options.
 *
 * @throws TagstreamError `config` if the model and the optimizer cannot be combined, or the optimizer's work cannot be
 *   shared
 */
export function batchLearnerOf<Options>(
  component: TrainerComponent<Options>,
  options: Options,
  { model, loss, group, remote, order }: BatchParts,
): BatchLearner {
  const { kernel, parameters, spec } = model;
  requireSinglePairs(model, { name: component.name, singlePairs: false });
  if (group !== undefined) {
    requireStructure(spec, 'chain recursions', 'training by several threads');
  }
  if (remote !== undefined) requireStructure(spec, 'chain recursions', 'training on many machines');
  if (spec.graph?.potentials === 'associative') throw withoutBounds(component.name);
  const unfit = unfitForScorer(component.name, spec.scorer ?? 'linear', component.makes?.(options));
  if (unfit !== undefined) throw new TagstreamError('config', unfit.problem, { fix: unfit.fix });
  // The optimizer's vectors will be stored there, and must not move; sharing later would copy all of them.
  parameters.memory.share();
  return new BatchLearner(model, loss, corpus =>
    component.create(options, {
      objective: l2 => new Objective({ kernel, parameters, corpus, loss, l2, group, remote }),
      parts: () => featureParts(model, corpus),
      ...(order === undefined ? {} : { order }),
    }),
  );
}

function withoutBounds(name: string): TagstreamError {
  const problem = `the batch optimizer ${name} cannot keep weights from falling below 0, which associative potentials require`;
  return new TagstreamError('config', problem, {
    fix: 'use an online optimizer such as sgd, or potentials: free',
  });
}
