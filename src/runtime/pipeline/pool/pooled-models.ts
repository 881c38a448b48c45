import { joined } from '../../../engine/core/arrays.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Minibatch } from '../../../engine/core/minibatch/minibatch.js';
import { packMinibatch } from '../../../engine/core/minibatch/pack-minibatch.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import type { Iteration } from '../../../engine/core/training/trainer.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { modelPieces, takenContents } from '../../../engine/models/files/model-file.js';
import {
  type InspectedModel,
  unitedNames,
} from '../../../engine/models/inspection/read-inspected.js';
import { kernels } from '../../../engine/models/kernels.js';
import type { Model } from '../../../engine/models/model.js';
import { addWeights } from '../../../engine/models/start/add-weights.js';
import { unionOf } from '../../../engine/models/start/union-of.js';
import { Lbfgs } from '../../../engine/trainers/lbfgs/lbfgs.js';
import { DirichletObjective } from './dirichlet-objective.js';
import { PoolObjective } from './pool-objective.js';

/** An expert with its file's name, for errors. */
export interface PoolExpert extends Pick<InspectedModel, 'model' | 'notes'> {
  readonly source: string;
}

/** Losses of a pool and its experts on held-out data. */
export interface HeldOutLosses {
  /** Number of labelled sentences whose labels the experts know, and of their tokens. */
  readonly sentences: number;
  readonly tokens: number;
  /** Number of skipped labelled sentences, which have a label that the experts do not know. */
  readonly omitted: number;
  /** -log p(y* | x) of the pool, per token. */
  readonly loss: number;
  /** Loss of each expert alone. */
  readonly experts: readonly number[];
  /**
   * Distance of the pool from each expert, KL(pool, expert), in nats per token. The weighted sum is the pool's
   * diversity, by which its loss is below the experts' weighted loss if the weights sum to 1: Gupta, Conditional Random
   * Fields, equation (55). Absent if sentences are partially labelled.
   */
  readonly divergences?: readonly number[];
}

/** The options of a pool. */
export interface PoolOptions {
  /** Weights of the experts, instead of learned ones. */
  readonly weights?: readonly number[] | undefined;
  /** Held-out sentences, for learning the weights. */
  readonly heldOut?: readonly Sentence[] | undefined;
  /**
   * The parameter of a Dirichlet prior on the learned weights, at least 1. With a prior, weights are positive and sum
   * to 1.
   */
  readonly prior?: number | undefined;
}

/** A logarithmic opinion pool as one chain. */
export interface PooledModels {
  /** The model file. */
  readonly bytes: Uint8Array;
  readonly weights: readonly number[];
  /** Losses on held-out sentences, if there are any. */
  readonly heldOut?: HeldOutLosses;
  /** The last iteration of L-BFGS, if the weights were learned. */
  readonly iteration?: Iteration;
}

/** Number of sentences that are scored at a time. */
const batchSize = 64;

/**
 * Pools linear chains: p(y | x) proportional to prod_k p_k(y | x)^w_k, which is a linear chain with the features of all
 * experts and their weights times w_k. Cost: ten to thirty evaluations of `PoolObjective`; memory for the weights of K
 * + 1 models with all features, in float64.
 *
 * @param experts experts read with `kernels.simd64`
 * @throws TagstreamError `config`, `template`, `too-large` like `unionOf`; `config` if neither weights nor held-out
 *   sentences are given; `empty-sentence` if no held-out sentence is labelled
 */
export function pooledModels(
  experts: readonly PoolExpert[],
  { weights: given, heldOut, prior }: PoolOptions,
): PooledModels {
  requireWeights(experts, given, heldOut);
  requirePrior(prior, given);
  const model = unionOf(experts, kernels.simd64);
  const learned =
    heldOut === undefined
      ? undefined
      : learnedFrom(model, experts, heldOut, { weights: given, prior });
  const weights = learned?.weights ?? given!;
  experts.forEach(({ model: expert }, k) => {
    addWeights(model, expert, { factor: weights[k]! });
  });
  const contents = takenContents(model, model.parameters);
  const notes = { history: [], names: unitedNames(contents, experts) };
  return { ...learned, weights, bytes: joined(modelPieces(contents, notes)) };
}

function requireWeights(
  experts: readonly PoolExpert[],
  weights: readonly number[] | undefined,
  heldOut: readonly Sentence[] | undefined,
): void {
  if (experts.length < 2) throw refused('a pool needs two models or more', 'name further models');
  if (weights === undefined) {
    if (heldOut !== undefined) return;
    throw refused('the pool has no weights', 'give weights, or held-out data to learn them from');
  }
  if (weights.length === experts.length && weights.every(Number.isFinite)) return;
  const models = counted(experts.length, 'model');
  throw refused(`${models} but the weights ${weights.join(', ')}`, 'give a number for each model');
}

function requirePrior(prior: number | undefined, weights: readonly number[] | undefined): void {
  if (prior === undefined) return;
  if (weights !== undefined) {
    throw refused(
      'a prior with given weights',
      'leave one of them out: a prior applies to learned weights',
    );
  }
  if (Number.isFinite(prior) && prior >= 1) return;
  throw refused(`the Dirichlet prior is ${prior}`, 'give a number of at least 1');
}

function refused(problem: string, fix: string): TagstreamError {
  return new TagstreamError('config', problem, { fix });
}

function learnedFrom(
  model: Model,
  experts: readonly PoolExpert[],
  heldOut: readonly Sentence[],
  { weights: given, prior }: Pick<PoolOptions, 'weights' | 'prior'>,
): Omit<PooledModels, 'bytes'> {
  const stores = experts.map(({ model: expert }) => {
    const into = model.parameters.emptyCopy();
    addWeights(model, expert, { into });
    return into;
  });
  const objective = new PoolObjective(model.kernel, stores, batchesOf(model, heldOut), given);
  if (objective.sentences === 0) {
    throw new TagstreamError(
      'empty-sentence',
      'there are no labelled sentences to learn the weights of the pool from',
      {
        fix: 'check the format and the column of the tags',
      },
    );
  }
  const iteration = given === undefined ? learnPoolWeights(objective, prior) : undefined;
  const weights = objective.weights();
  const gradient = new Float64Array(weights.length);
  const lossOf = (at: Float64Array) => objective.evaluate(at, gradient) / objective.tokens;
  const { sentences, tokens } = objective;
  const labelled = heldOut.filter(
    ({ tags, partialTags }) => tags !== undefined || partialTags !== undefined,
  );
  const loss = lossOf(weights);
  const slopes = gradient.map(slope => slope / objective.tokens);
  const alone = experts.map((_, k) => lossOf(Float64Array.from(weights, (__, i) => +(i === k))));
  const losses: HeldOutLosses = {
    ...{ sentences, tokens, omitted: labelled.length - sentences },
    ...{ loss, experts: alone },
    ...(objective.hasPartial
      ? {}
      : { divergences: divergencesOf({ weights, slopes, loss, alone }) }),
  };
  return {
    weights: [...weights],
    heldOut: losses,
    ...(iteration === undefined ? {} : { iteration }),
  };
}

/**
 * Returns KL(pool, expert k) = sum_j w_j s_j - s_k - l + l_k, from the slopes s of the loss l, and the experts' losses
 * l_k: an expert's expected score exceeds the score of the labels by its slope.
 */
function divergencesOf({
  weights,
  slopes,
  loss,
  alone,
}: {
  readonly weights: Float64Array;
  readonly slopes: Float64Array;
  readonly loss: number;
  readonly alone: readonly number[];
}): number[] {
  const own = weights.reduce((sum, weight, k) => sum + weight * slopes[k]!, 0);
  // Because of rounding, the value is slightly negative if an expert equals the pool.
  return alone.map((expert, k) => Math.max(0, own - slopes[k]! - loss + expert));
}

function batchesOf(model: Model, sentences: readonly Sentence[]): Minibatch[] {
  const batches: Minibatch[] = [];
  for (let from = 0; from < sentences.length; from += batchSize) {
    const part = sentences.slice(from, from + batchSize);
    batches.push(packMinibatch(part.map(sentence => model.encode(sentence))));
  }
  return batches;
}

/** L-BFGS ends quickly in so few dimensions: the last step is one that gains less than 1e-10 of the loss. */
const stopping = { tolerance: 1e-6, decrease: 1e-10, period: 1 };

/** Far more than a convex function of a few weights needs. */
const mostIterations = 200;

/** Minimises the objective by L-BFGS, from its current weights, and sets the result. */
function learnPoolWeights(pool: PoolObjective, prior: number | undefined): Iteration {
  const objective = prior === undefined ? pool : new DirichletObjective(pool, prior);
  const trainer = new Lbfgs({ ...stopping, memory: 6 }, objective);
  let last = trainer.iterate();
  while (last.ending === undefined && last.iteration < mostIterations) last = trainer.iterate();
  objective.place(objective.weights());
  return last;
}
