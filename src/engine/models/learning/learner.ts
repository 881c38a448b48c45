import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { parseOptions } from '../../core/schema/parse-options.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import type { Confidence, Contribution } from '../../core/training/contribution.js';
import {
  type State,
  type Stateful,
  stateCount,
  stateNumber,
  wrongState,
} from '../../core/training/state.js';
import type { Ending, PassMargin } from '../../core/training/trainer.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { withoutLabels } from '../../kernels/graph/graph-scores.js';
import { Lattice } from '../../kernels/lattice.js';
import { type Plane, roundToFloat32 } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { predictLabels } from '../../losses/apply-loss.js';
import { contributionOf } from '../../losses/contribution-of.js';
import type { Loss } from '../../losses/loss.js';
import { Margins } from '../../optimizers/margins.js';
import type { Optimizer, OptimizerComponent } from '../../optimizers/optimizer.js';
import { copyPlane } from '../../optimizers/planes/planes.js';
import { type ConfidenceOptions, unrestricted } from '../decoding/decode-options.js';
import { Decoder } from '../decoding/decoder.js';
import type { Model } from '../model.js';
import { evictFeatures, pruneFeatures } from './drop-features.js';
import { type FreshState, freshStateOf, type SeedMean, startAfresh } from './seed-mean.js';

/** The parts of an online learner. */
export interface OnlineParts<Options> {
  readonly loss: Loss;
  readonly optimizer: OptimizerComponent<Options>;
  /** Options of the optimizer; defaults if absent. */
  readonly options?: Partial<Options>;
  /**
   * Number of sentences per pass, N. Required on an endless stream; otherwise determined by
   * `passes`.
   */
  readonly corpusSize?: number;
}

/** Creates a learner's optimizer, which may request contributions itself. */
export type CreateOptimizer = (
  corpusSize: number,
  parameters: ParameterStore,
  contribute: (minibatch: Minibatch) => Contribution,
) => Optimizer;

/**
 * A model in training: its loss, its optimizer, the working memory and the counts.
 *
 * The optimizer is created with the first minibatch, when the size of the corpus is known.
 */
export class Learner implements Stateful {
  readonly model: Model;
  readonly loss: Loss;
  readonly #lattice: Lattice;
  readonly #corpusSize: number | undefined;
  readonly #createOptimizer: CreateOptimizer;
  /** Working memory for repeated contributions of a sentence; see `Optimizer.repeats`. */
  #repeated: Lattice | undefined;
  #optimizer: Optimizer | undefined;
  #decoder: Decoder | undefined;
  #steps = 0;
  #sentencesSeen = 0;
  #lossSum = 0;
  #lossTokens = 0;
  /**
   * Margins of the pass so far; undefined if there are none, or if the pass was not seen from its
   * start.
   */
  #margins: Margins | undefined;
  /** Called with the number of evicted features when the model has reached its limit. */
  onEvicted: ((features: number) => void) | undefined;
  /**
   * Learners of the model's twins, which lose the features that this learner evicts; see `Contest`.
   */
  twins: readonly Learner[] = [];
  /** Whether another learner evicts the features of its model. */
  isTwin = false;
  /** Set before anything is learned or restored, to make one model from several seeds. */
  seeds: SeedMean | undefined;

  constructor(model: Model, loss: Loss, createOptimizer: CreateOptimizer, corpusSize?: number) {
    requireArgument('Learner: the model', model, kinds.model);
    requireArgument('Learner: the loss', loss, kinds.loss);
    requireArgument('Learner: createOptimizer', createOptimizer, kinds.function);
    requireOwnRows(model);
    this.model = model;
    this.loss = loss;
    this.#lattice = new Lattice(model.parameters.memory, model.parameters.precision);
    this.#createOptimizer = createOptimizer;
    this.#corpusSize = corpusSize;
    this.#margins = Margins.of(loss);
  }

  /**
   * The optimizer.
   *
   * @throws TagstreamError `config` if the corpus size is unknown
   */
  get optimizer(): Optimizer {
    if (this.#optimizer !== undefined) return this.#optimizer;
    const size = this.#corpusSize ?? this.model.corpusSize;
    if (size === undefined) {
      throw new TagstreamError('config', 'the size of the corpus is unknown', {
        fix: 'give corpusSize, which penalties are divided by, or train in passes over a corpus',
      });
    }
    const contribute = (minibatch: Minibatch) => this.#contributeAgain(minibatch);
    this.#optimizer = this.#createOptimizer(size, this.model.parameters, contribute);
    if (this.#pruneEvery !== undefined && this.#optimizer.settle === undefined) {
      throw new TagstreamError('config', `${this.#optimizer.name} never makes a weight zero`, {
        fix: 'use sgd-l1 or adagrad to prune features',
      });
    }
    return this.#optimizer;
  }

  /** Whether the learned model consists of voting weights. */
  get votes(): boolean {
    return this.optimizer.voters !== undefined;
  }

  get sentencesSeen(): number {
    return this.#sentencesSeen;
  }

  /**
   * Scores a minibatch and returns its gradient as residuals; changes no weights. Predictions use the average over a
   * window if the optimizer keeps one.
   */
  contribute(minibatch: Minibatch, predict = false): Contribution {
    const { model } = this;
    this.requireCorpus(minibatch);
    model.reserve();
    this.beginSeed();
    this.optimizer.prepare(minibatch.positions ?? minibatch);
    model.parameters.forgetReused();
    this.#lattice.readsResiduals = this.optimizer.readsResiduals ?? true;
    const { kernel, parameters } = model;
    const served = predict ? this.#served(minibatch) : undefined;
    const predicting =
      served === undefined
        ? predict
        : parameters.withWeights(served, () =>
            predictLabels(kernel, parameters, this.#lattice, minibatch),
          );
    return contributionOf(kernel, parameters, this.#lattice, minibatch, this.loss, predicting);
  }

  /** Returns the averages that tag a minibatch; undefined if the weights do. */
  #served(minibatch: Minibatch): Plane | undefined {
    return this.optimizer.served?.(minibatch.positions ?? minibatch);
  }

  /**
   * Returns the probabilities of the labels that a contribution has just predicted; has no side
   * effects.
   *
   * @throws TagstreamError `config` if the scorer or the structure does not support probabilities
   */
  confidence(minibatch: Minibatch, asked: ConfidenceOptions): Confidence {
    const { kernel, parameters } = this.model;
    this.#decoder ??= new Decoder(kernel, unrestricted(this.model));
    const { voters } = parameters;
    // The voters of a model file were not used for the prediction.
    parameters.voters = undefined;
    try {
      const options = { ...asked, constraints: false };
      const decoder = this.#decoder;
      const decode = () => decoder.decode(parameters, minibatch, options);
      const served = this.#served(minibatch);
      const decoded = served === undefined ? decode() : parameters.withWeights(served, decode);
      const { marginals, labelMarginals, pairMarginals, rejected } = decoded;
      const { probabilities, logProbabilities } = decoded;
      return {
        sentenceStarts: minibatch.sentenceStarts,
        ...(marginals && { marginals }),
        ...(labelMarginals && { labelMarginals }),
        ...(pairMarginals && { pairMarginals }),
        ...(probabilities && { probabilities, logProbabilities }),
        ...(rejected && { rejected }),
      };
    } finally {
      parameters.voters = voters;
    }
  }

  /** Adds a finished seed's weights to the mean, and restarts with the next seed. */
  protected beginSeed(): void {
    const { seeds } = this;
    if (seeds === undefined) return;
    this.noteFresh();
    if (!seeds.isDue(this.#sentencesSeen, this.model.corpusSize ?? 0)) return;
    seeds.add(this.deployedParameters().weights);
    this.startAfresh(seeds.fresh!);
  }

  protected startAfresh(fresh: FreshState): void {
    startAfresh(this.model.parameters, this.optimizer, fresh);
  }

  /** Saves the optimizer's initial state for the remaining seeds. */
  protected noteFresh(): void {
    const { seeds, optimizer } = this;
    if (seeds === undefined || seeds.fresh !== undefined) return;
    optimizer.prepare();
    seeds.fresh = freshStateOf(optimizer);
  }

  /**
   * @throws TagstreamError `config` if templates need statistics of a whole corpus or links need all its labels, but
   *   there is no corpus
   */
  protected requireCorpus({ sentences }: Pick<Minibatch, 'sentences'>): void {
    const { readsLexicon, plan } = this.model.extractor;
    if (readsLexicon && plan.words.lexicon === undefined) throw withoutLexicon();
    if (this.model.frozen || this.model.links === undefined) return;
    if (sentences.some(({ links }) => links?.cliques !== undefined)) throw withoutLabels();
  }

  /** Updates the weights by a contribution, and counts it. */
  apply(contribution: Contribution): TrainingStep {
    contribution.assertCurrent();
    if (this.seesMargins) this.#margins?.note(contribution);
    this.update(contribution);
    // The voters of a model file from which training continues do not know new features.
    this.model.parameters.voters = undefined;
    this.#steps += 1;
    this.#sentencesSeen += contribution.sentenceCount;
    this.#lossSum += contribution.loss;
    this.#lossTokens += contribution.tokenCount;
    this.#prune(this.#sentencesSeen - contribution.sentenceCount);
    const evicted = this.isTwin ? 0 : evictFeatures(this.model, this.optimizer, this.twins);
    if (evicted > 0) this.onEvicted?.(evicted);
    const { passEnd } = contribution.minibatch;
    const meanLoss = this.#lossTokens === 0 ? 0 : this.#lossSum / this.#lossTokens;
    const margin = passEnd === undefined ? undefined : this.#margins?.sums;
    if (passEnd !== undefined) {
      this.#lossSum = 0;
      this.#lossTokens = 0;
      this.#margins = Margins.of(this.loss);
    }
    const ending = passEnd !== undefined && this.separated ? 'separated' : undefined;
    return new OnlineStep(
      contribution,
      this.#steps,
      this.#sentencesSeen,
      meanLoss,
      passEnd,
      ending,
      margin,
    );
  }

  /**
   * Learns again from earlier sentences without counting them again, evicting or pruning. The next contribution
   * overwrites the result.
   */
  relearn(minibatch: Minibatch): Contribution {
    const contribution = this.contribute(minibatch);
    this.update(contribution);
    this.model.parameters.voters = undefined;
    return contribution;
  }

  /**
   * Restarts learning after a stream has changed, keeping labels and features. `weights` resets all weights to 0.
   * `steps` keeps the weights, but the optimizer forgets everything else, such as averages and sums that shrink
   * steps.
   *
   * @throws TagstreamError `config` for `steps` with an optimizer that counts or votes
   */
  beginAgain(what: 'weights' | 'steps'): void {
    const { model, optimizer } = this;
    const { parameters } = model;
    model.reserve();
    optimizer.prepare();
    let present: ParameterStore | undefined;
    if (what === 'steps') {
      const mixing = optimizer.mixing?.();
      if (mixing === undefined) throw withoutSteps(optimizer.name);
      present = parameters.emptyCopy();
      mixing.present(present.weights);
    }
    parameters.restart();
    if (present !== undefined) copyPlane(present.weights, parameters.weights, 1);
    this.#optimizer = undefined;
  }

  /** Returns an untrained learner like this one, with a twin of its model. */
  fresh(): Learner {
    const { model } = this;
    model.reserve();
    const twin = model.twin(model.parameters.emptyCopy());
    const size = this.#corpusSize ?? model.corpusSize;
    const made = new Learner(twin, this.loss, this.#createOptimizer, size);
    made.isTwin = true;
    this.twins = [...this.twins, made];
    return made;
  }

  /** Takes over the weights and the optimizer state of a `fresh` learner. */
  takeOver(other: Learner): void {
    this.beginAgain('weights');
    const { model, optimizer } = this;
    for (const each of [this, other]) {
      each.model.reserve();
      each.optimizer.prepare();
    }
    const { parameters } = model;
    const from = other.model.parameters;
    copyPlane(from.weights, parameters.weights, 1);
    parameters.scale = from.scale;
    const own = optimizer.save().arrays;
    const { json, arrays } = other.optimizer.save();
    const fitting = Object.entries(arrays).map(([name, array]) => [name, padded(array, own[name])]);
    optimizer.restore({ json, arrays: Object.fromEntries(fitting) });
  }

  /** Discards a `fresh` learner. */
  dismiss(other: Learner): void {
    this.twins = this.twins.filter(each => each !== other);
    this.model.part(other.model);
  }

  /** Whether contributions have losses and residuals before being applied. */
  protected get seesMargins(): boolean {
    return true;
  }

  /** Whether the last pass had no mistakes and the optimizer ends training in this case. */
  get separated(): boolean {
    const right = this.optimizer.rightInARow;
    return right !== undefined && right >= (this.model.corpusSize ?? Number.POSITIVE_INFINITY);
  }

  /** Removes features at each multiple of `pruneEvery` sentences. */
  #prune(seenBefore: number): void {
    const every = this.#pruneEvery;
    if (every === undefined) return;
    if (Math.floor(seenBefore / every) === Math.floor(this.#sentencesSeen / every)) return;
    pruneFeatures(this.model, this.optimizer);
  }

  get #pruneEvery(): number | undefined {
    const { index } = this.model.spec;
    return index.mode === 'exact' ? index.pruneEvery : undefined;
  }

  /** Makes the update itself, without counting. */
  protected update(contribution: Contribution): void {
    if (contribution.sentenceCount === 0) return;
    const { weights, sentences } = contribution.minibatch;
    if (this.optimizer.repeats !== true || weights?.some(weight => weight > 1) !== true) {
      this.optimizer.apply(contribution);
      return;
    }
    for (const sentence of sentences) this.#repeat(sentence);
  }

  /**
   * Splits weight h into n steps of weight h / n, each computed at the weights after the previous step; the ideal is
   * the limit for large n (Karampatziakis and Langford 2011). Here n is h rounded up, so a record of weight 2 counts
   * like two records.
   */
  #repeat(sentence: EncodedSentence): void {
    const { weight = 1 } = sentence;
    const steps = Math.max(1, Math.ceil(weight));
    const share = packMinibatch([{ ...sentence, weight: weight / steps }]);
    for (let step = 0; step < steps; step += 1) {
      this.optimizer.prepare(share.positions ?? share);
      const made = this.#contributeAgain(share);
      if (made.sentenceCount > 0) this.optimizer.apply(made);
    }
  }

  /** The current minibatch's predictions are in the other lattice. */
  #contributeAgain(minibatch: Minibatch): Contribution {
    const { kernel, parameters } = this.model;
    this.#repeated ??= new Lattice(parameters.memory, parameters.precision);
    return contributionOf(kernel, parameters, this.#repeated, minibatch, this.loss);
  }

  /**
   * Returns the weights as a model file would contain them (averaged, all penalties charged, rounded to float32) in a
   * separate store with the same rows, and the voters if weights vote. Has no side effects. Cost O(all weights).
   */
  deployedParameters(): ParameterStore {
    const { parameters } = this.model;
    this.model.reserve();
    this.optimizer.prepare();
    const deployed = parameters.emptyCopy();
    this.#deployTo(deployed);
    deployed.voters = this.optimizer.voters?.();
    deployed.forest = parameters.forest;
    deployed.vectors = parameters.vectors;
    return deployed;
  }

  /**
   * Returns the final weights, which overwrite the current ones if no other thread shares them and no weights
   * vote, so that memory holds them only once. Consumes the learner.
   */
  finish(): ParameterStore {
    const { parameters } = this.model;
    if (parameters.memory.isShared || this.votes) {
      return this.deployedParameters();
    }
    this.model.reserve();
    this.optimizer.prepare();
    this.#deployTo(parameters);
    parameters.scale = 1;
    parameters.version += 1;
    return parameters;
  }

  #deployTo({ weights }: ParameterStore): void {
    this.optimizer.deploy(weights);
    roundToFloat32(weights);
    if (this.seeds?.isComplete(this.#sentencesSeen, this.model.corpusSize ?? 0) !== true) return;
    this.seeds.mean(weights);
    roundToFloat32(weights);
  }

  save(): State {
    const optimizer = this.optimizer.save();
    const seeds = this.seeds?.save();
    return {
      json: {
        steps: this.#steps,
        sentencesSeen: this.#sentencesSeen,
        lossSum: this.#lossSum,
        lossTokens: this.#lossTokens,
        ...(this.#margins && { margin: this.#margins.sums ?? null }),
        optimizer: optimizer.json,
        ...(seeds === undefined ? {} : { seeds: seeds.json }),
      },
      arrays: { ...optimizer.arrays, ...seeds?.arrays },
    };
  }

  /**
   * Restores the learner; the model must be restored first.
   *
   * @throws TagstreamError `checkpoint` if the state is inconsistent
   */
  restore(state: State): void {
    this.#steps = stateCount(state, 'steps');
    this.#sentencesSeen = stateCount(state, 'sentencesSeen');
    this.#lossSum = stateNumber(state, 'lossSum');
    this.#lossTokens = stateCount(state, 'lossTokens');
    const margin = state.json.margin as PassMargin | null | undefined;
    this.#margins = margin === undefined ? undefined : Margins.of(this.loss, margin ?? undefined);
    const json = state.json.optimizer as Record<string, unknown> | null | undefined;
    if (typeof json !== 'object' || json === null) throw wrongState('there is no optimizer');
    this.noteFresh();
    const seeds = state.json.seeds as Record<string, unknown> | undefined;
    this.seeds?.restore({ json: seeds ?? {}, arrays: state.arrays });
    this.optimizer.restore({ json, arrays: state.arrays });
  }
}

/**
 * Creates a learner for a model from an online optimizer's component and options.
 *
 * @throws TagstreamError `config` that names the invalid option
 */
export function createOnlineLearner<Options>(
  model: Model,
  { loss, optimizer, options, corpusSize }: OnlineParts<Options>,
): Learner {
  requireSinglePairs(model, optimizer);
  const chosen = parseOptions(optimizer.options, options ?? {}, optimizer.name);
  const { kernel } = model;
  const create: CreateOptimizer = (size, parameters, contribute) =>
    optimizer.create(chosen, { kernel, parameters, corpusSize: size, contribute });
  return new Learner(model, loss, create, corpusSize);
}

/** Pads an array to the length of another, because tables may have grown with more slack. */
function padded(array: ArrayBufferView, like: ArrayBufferView | undefined): ArrayBufferView {
  if (like === undefined || like.byteLength <= array.byteLength) return array;
  const longer = (like as Float64Array).slice().fill(0);
  longer.set(array as Float64Array);
  return longer;
}

function withoutSteps(name: string): TagstreamError {
  return new TagstreamError('config', `${name} cannot restart its step sizes`, {
    fix: 'restart the weights, or use adagrad with update: mirror-descent, sgd, perceptron, passive-aggressive or arow',
  });
}

function withoutLexicon(): TagstreamError {
  return new TagstreamError('config', '%seen needs statistics of the whole training corpus', {
    fix: 'train in passes over a corpus (operator passes), or leave %seen out',
  });
}

/**
 * @throws TagstreamError `config` for a model that was read for tagging only, whose features share
 * weights
 */
function requireOwnRows({ stateIndex }: Model): void {
  if (stateIndex.canGrow || stateIndex.mode === 'hashed') return;
  throw new TagstreamError(
    'config',
    'the model was read for tagging only: its features share weights',
    {
      fix: 'read its file with readModel to continue training',
    },
  );
}

/**
 * A step of an online optimizer. A class rather than a literal, because V8 tracks object lifetimes per literal: keeping
 * the last step would make it pretenure all steps, which then, with everything they refer to, only a full collection
 * frees.
 */
class OnlineStep implements TrainingStep {
  readonly contribution: Contribution;
  readonly step: number;
  readonly sentencesSeen: number;
  readonly meanLoss: number;
  readonly passEnd: number | undefined;
  readonly ending: Ending | undefined;
  readonly margin: PassMargin | undefined;

  constructor(
    contribution: Contribution,
    step: number,
    sentencesSeen: number,
    meanLoss: number,
    passEnd: number | undefined,
    ending: Ending | undefined,
    margin: PassMargin | undefined,
  ) {
    this.contribution = contribution;
    this.step = step;
    this.sentencesSeen = sentencesSeen;
    this.meanLoss = meanLoss;
    this.passEnd = passEnd;
    this.ending = ending;
    this.margin = margin;
  }
}

/** Summarises a step over a whole corpus as sums, without sentences. */
export function summedContribution(
  { width, matrixSize, version }: ParameterStore,
  { loss, sentences, tokens }: { loss: number; sentences: number; tokens: number },
): Contribution {
  const nothing = new Float64Array(0);
  const summed: Contribution = {
    minibatch: packMinibatch([]),
    ...{ width, matrixSize, version, loss },
    residual: nothing,
    transitionResidual: nothing,
    edgeResidual: nothing,
    edgeSlots: new Int32Array(0),
    losses: nothing,
    sentenceCount: sentences,
    tokenCount: tokens,
    assertCurrent() {},
    detach: () => summed,
  };
  return summed;
}

/**
 * Rejects optimizers that iterate over weight or residual rows themselves if a model stores single pairs or
 * prunes labels.
 *
 * @throws TagstreamError `config`
 */
export function requireSinglePairs(
  { spec }: Pick<Model, 'spec'>,
  { name, singlePairs }: Pick<OptimizerComponent<never>, 'name' | 'singlePairs'>,
): void {
  if (singlePairs === true) return;
  const setting = spec.compressed === true ? 'compressed' : 'prune';
  if (spec[setting] === undefined) return;
  const needed = setting === 'compressed' ? 'weights in rows' : 'all labels of a token';
  throw new TagstreamError('config', `the optimizer ${name} needs ${needed}`, {
    fix: `use sgd or perceptron, or leave ${setting} out`,
  });
}
