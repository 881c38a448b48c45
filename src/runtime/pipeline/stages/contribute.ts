import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import { requireStructure } from '../../../engine/inference/structures/structures.js';
import type { Loss } from '../../../engine/losses/loss.js';
import type { LossComponent } from '../../../engine/losses/loss-components.js';
import { confidenceIn } from '../../../engine/models/decoding/decode-options.js';
import type { Model } from '../../../engine/models/model.js';
import { defineStage, type StageComponent } from '../definition/stage-component.js';
import type { StepOptions } from '../learners/trainee.js';
import { contributeOptionsOf } from '../options/stage-options.js';
import type { LossPart, Plan } from '../plan/plan.js';

/** Returns the stage `contribute` with the losses that it can name. */
export function contributeStage(losses: readonly LossComponent<never>[]): StageComponent {
  return defineStage({
    name: 'contribute',
    summary: 'scores minibatches and computes the gradient of their losses',
    example: 'contribute: { loss: log }',
    takes: ['minibatch'],
    gives: 'contribution',
    options: contributeOptionsOf(losses),
  });
}

/** Creates the loss of a plan for a model, whose labels the loss may inspect. */
export function createLoss({ component, options }: LossPart, model: Model): Loss {
  if (options.missCost !== undefined) requireStructure(model.spec, 'label losses', 'missCost');
  return component.create(parseOptions(component.options, options, component.name) as never, {
    outside: () => model.labels.find('O'),
  });
}

/**
 * Returns the predictions for sentences before they are learned from, as needed for tagged records, progressive scores
 * and the comparison with a deployed model.
 */
export function derivePredictions({
  decode,
  evaluation,
  ask,
  deploy,
}: Pick<Plan, 'decode' | 'evaluation' | 'ask' | 'deploy'>): Pick<
  StepOptions,
  'predict' | 'confidence'
> {
  const needsMarginals = ask !== undefined || followsConfidence(evaluation);
  return {
    predict:
      [decode, ask, deploy].some(part => part !== undefined) || evaluation?.kind === 'progressive',
    confidence: confidenceIn({
      ...decode?.options,
      ...(needsMarginals && { marginals: decode?.options.marginals || true }),
    }).asked,
  };
}

/** Returns whether drift is detected from the probabilities of tags. */
function followsConfidence(evaluation: Pick<Plan, 'evaluation'>['evaluation']): boolean {
  return evaluation?.kind === 'progressive' && evaluation.options.drift.on === 'confidence';
}
