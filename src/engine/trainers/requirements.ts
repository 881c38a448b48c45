import { TagstreamError } from '../core/errors.js';
import type { Minibatch } from '../core/minibatch/minibatch.js';
import { requireCapability } from '../inference/scorers/scorers.js';
import { requireStructure } from '../inference/structures/structures.js';
import type { Loss } from '../losses/loss.js';
import type { Objective } from './objective.js';

/**
 * Requires the log loss of linear scores, from whose residuals some trainers derive marginals.
 *
 * @throws TagstreamError `config` if the objective has another loss, or a scorer that is not linear
 */
export function requireLogLoss(trainer: string, { loss, parameters }: Objective): void {
  requireStructure(parameters.layout, 'single weights', `the optimizer ${trainer}`);
  requireCapability(parameters.layout.scorer, 'log-linear', `the optimizer ${trainer}`);
  requireLoss(trainer, loss, 'log', 'a trainer for any smooth loss, such as lbfgs or owl-qn');
}

/** @throws TagstreamError `config` if the objective has another loss */
export function requireLoss(trainer: string, loss: Loss, name: Loss['name'], or?: string): void {
  if (loss.name === name) return;
  throw new TagstreamError('config', `${trainer} does not support the loss ${loss.name}`, {
    fix: or === undefined ? `use contribute: { loss: ${name} }` : `use loss: ${name}, or ${or}`,
  });
}

/** Returns the `needs` function of a trainer that supports only one loss. */
export function onlyLoss(name: Loss['name']): (_: unknown, loss: Loss) => string | undefined {
  return (_, loss) => (loss.name === name ? undefined : name);
}

/**
 * Requires full labels, for trainers that compare expectations with each token's label.
 *
 * @param trainer name of the trainer, for the error
 * @throws TagstreamError `config` for a partially labelled sentence
 */
export function requireFullLabels(trainer: string, corpus: readonly Minibatch[]): void {
  for (const { labelled, sentenceStarts, gold, sentences } of corpus) {
    const partial = sentences.findIndex(
      (_, s) => labelled[s] === 1 && gold[sentenceStarts[s]!] === -1,
    );
    if (partial < 0) continue;
    const { id } = sentences[partial]!.sentence.document;
    const record = id === undefined ? 'a sentence' : `record ${id}`;
    throw new TagstreamError(
      'config',
      `${record} is partially labelled, which ${trainer} does not support`,
      { fix: 'omit such records, or use another optimizer' },
    );
  }
}
