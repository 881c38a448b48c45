import type { Figure } from '../../engine/core/figures.js';
import type { EncodedSentence } from '../../engine/core/minibatch/encoded-sentence.js';
import { packMinibatch } from '../../engine/core/minibatch/pack-minibatch.js';
import type { Scores, TrainingStep } from '../../engine/core/training/training-step.js';
import type { Kernel } from '../../engine/kernels/kernel.js';
import { Lattice } from '../../engine/kernels/lattice.js';
import type { ParameterStore } from '../../engine/kernels/store/parameter-store.js';
import { contributionOf } from '../../engine/losses/contribution-of.js';
import type { Loss } from '../../engine/losses/loss.js';
import { Decoder } from '../../engine/models/decoding/decoder.js';
import { scoreSentences } from '../../engine/models/decoding/score-sentences.js';
import { activeWeights } from '../../engine/models/inspection/sparsity-pattern.js';
import type { Model } from '../../engine/models/model.js';
import type { Pipeline } from '../../runtime/pipeline/definition/pipeline.js';
import { finishedModel } from '../../runtime/pipeline/learners/finished-model.js';
import type { TrainingParts } from '../../runtime/pipeline/stages/build-training.js';
import { type QuantityName, rankLimit, type Values } from './quantities.js';

/** Inputs for measuring a model. */
export interface ModelMeasures {
  readonly pipeline: Pipeline;
  readonly training: TrainingParts;
  /** The corpus; absent for a stream. */
  readonly corpus: readonly EncodedSentence[] | undefined;
  readonly wanted: ReadonlySet<QuantityName>;
  /** The step after which they are measured. */
  readonly step: TrainingStep;
  readonly passes: number;
  readonly scores: Scores | undefined;
  /**
   * Whether to measure the weights of the model file, such as the best kept ones or those above a threshold, instead of
   * the current ones.
   */
  readonly finished?: boolean;
}

/** Returns the reproducible measures of a training run's current weights; null for those that the run does not have. */
export function measureModel(given: ModelMeasures): Values {
  const { training, wanted, step, passes, scores, pipeline } = given;
  const { model, parameters, corpus, isLast } =
    given.finished === true ? finished(given) : present(given);
  const found: Values = {
    passes,
    sentences: given.corpus?.length ?? null,
    evaluations: step.iteration?.evaluations ?? passes,
    gap: step.iteration?.gap ?? null,
    ...(scores === undefined ? {} : scoresOf(scores)),
    ...activeWeights(parameters),
  };
  const iterated = isLast ? step.iteration?.objective : undefined;
  if (wanted.has('loss') || (wanted.has('objective') && iterated === undefined)) {
    if (corpus !== undefined) {
      found.loss = corpusLoss(model.kernel, parameters, corpus, training.loss);
      const penalty = penaltyOf(pipeline, parameters);
      found.objective = penalty === undefined ? null : found.loss + penalty;
    }
  }
  if (iterated !== undefined) found.objective = iterated;
  const ranked = wanted.has('trainRankLoss');
  if ((ranked || wanted.has('trainError')) && corpus !== undefined) {
    const decoder = new Decoder(model.kernel, model);
    const options = ranked ? { nbest: rankLimit } : {};
    const { accuracy, rank } = scoreSentences(model, parameters, decoder, corpus, options);
    found.trainError = errorOf(accuracy);
    if (rank !== undefined) found.trainRankLoss = rank.mean;
  }
  return Object.fromEntries([...wanted].map(name => [name, found[name] ?? null]));
}

function scoresOf({ accuracy, precision, recall, f1, tagF1, rank }: Scores): Values {
  return {
    ...(rank && { rankLoss: rank.mean, exact: rank.within[0]!.share }),
    ...{ accuracy, error: errorOf(accuracy) },
    ...{
      precision: precision ?? null,
      recall: recall ?? null,
      f1: f1 ?? null,
      tagF1: tagF1 ?? null,
    },
  };
}

function errorOf(accuracy: Figure): Figure {
  return accuracy === null ? null : 100 - accuracy;
}

interface Measured {
  readonly model: Model;
  readonly parameters: ParameterStore;
  readonly corpus: readonly EncodedSentence[] | undefined;
  /** Whether the parameters are exactly those of the last step, rather than of an earlier pass or a selection. */
  readonly isLast: boolean;
}

function present({ training, corpus }: ModelMeasures): Measured {
  const { trainee, model } = training;
  return { model, parameters: trainee.learner.deployedParameters(), corpus, isLast: true };
}

/** Encodes the corpus again for a kept model, which has other rows. */
function finished({ training, corpus: read }: ModelMeasures): Measured {
  const { finishing } = training;
  const { model, parameters, bestPass } = finishedModel(finishing, false);
  const corpus =
    bestPass === undefined ? read : read?.map(({ sentence }) => model.encodeKnown(sentence));
  const { threshold, temperature } = finishing.train ?? {};
  const isLast = (bestPass ?? threshold ?? temperature) === undefined;
  return { model, parameters, corpus, isLast };
}

/**
 * Returns the penalties of a pipeline's optimizer for given weights:
 *
 *     l1 * sum |w| + l2 * sum w^2
 *
 * Returns undefined if the optimizer declares others, which do not follow from the weights; see `Penalties`.
 */
export function penaltyOf(
  { plan }: Pick<Pipeline, 'plan'>,
  { weights }: ParameterStore,
): number | undefined {
  const { component, options } = plan.optimizer ?? {};
  const { l1 = 0, l2 = 0, others = false } = component?.penalty?.(options as never) ?? {};
  if (others) return undefined;
  let absolute = 0;
  let squares = 0;
  for (const table of ['state', 'edges', 'pairs'] as const) {
    for (const weight of weights[table].view) {
      absolute += Math.abs(weight);
      squares += weight * weight;
    }
  }
  return l1 * absolute + l2 * squares;
}

const atOnce = 32;

/**
 * Returns the sum of the losses of a corpus under given weights, without penalties. Costs a pass over the corpus.
 *
 * @throws TagstreamError `numeric` if a loss is not finite
 */
export function corpusLoss(
  kernel: Kernel,
  parameters: ParameterStore,
  corpus: readonly EncodedSentence[],
  loss: Loss,
): number {
  const lattice = new Lattice(parameters.memory, parameters.precision);
  let sum = 0;
  for (let i = 0; i < corpus.length; i += atOnce) {
    const batch = packMinibatch(corpus.slice(i, i + atOnce));
    sum += contributionOf(kernel, parameters, lattice, batch, loss).loss;
  }
  return sum;
}
