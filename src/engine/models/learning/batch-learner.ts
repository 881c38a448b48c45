import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import { type State, wrongState } from '../../core/training/state.js';
import type { Trainer } from '../../core/training/trainer.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { roundToFloat32 } from '../../kernels/memory/plane.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import type { Loss } from '../../losses/loss.js';
import { copyPlane } from '../../optimizers/planes/planes.js';
import type { Model } from '../model.js';
import { Learner, summedContribution } from './learner.js';

/**
 * Number of sentences scored at a time: enough to amortise the overhead, few enough for the cache.
 */
const atOnce = 32;

/**
 * A learner whose steps are iterations of a batch optimizer over a whole corpus. It replaces a `Learner`
 * in a pipeline, for evaluation and checkpoints, after `begin` has received the corpus.
 */
export class BatchLearner extends Learner {
  readonly #createTrainer: (corpus: readonly Minibatch[]) => Trainer;
  #trainer: Trainer | undefined;
  /** Writes a released trainer's weights to the parameters. */
  #released: (() => void) | undefined;
  /** State to resume from once the corpus is known. */
  #restored: State | undefined;
  #iterations = 0;
  #ended = false;
  #sentences = 0;
  #tokens = 0;

  /** @param createTrainer function that creates the trainer for the packed corpus */
  constructor(model: Model, loss: Loss, createTrainer: (corpus: readonly Minibatch[]) => Trainer) {
    super(model, loss, () => {
      throw notOnline();
    });
    this.#createTrainer = createTrainer;
  }

  /** Receives the final corpus, and resumes from a restored state, if any. */
  begin(corpus: readonly EncodedSentence[]): void {
    this.model.reserve();
    this.#sentences = corpus.length;
    this.#tokens = corpus.reduce((sum, { length }) => sum + length, 0);
    const packed: Minibatch[] = [];
    for (let i = 0; i < corpus.length; i += atOnce) {
      packed.push(packMinibatch(corpus.slice(i, i + atOnce)));
    }
    this.#trainer = this.#createTrainer(packed);
    if (this.#restored !== undefined) this.#trainer.restore(this.#restored);
    this.#restored = undefined;
  }

  override get votes(): boolean {
    return false;
  }

  /** Number of iterations so far. */
  get iterations(): number {
    return this.#iterations;
  }

  /** Whether the trainer has converged. */
  get ended(): boolean {
    return this.#ended;
  }

  override get sentencesSeen(): number {
    return this.#iterations * (this.model.corpusSize ?? 0);
  }

  /** Runs one iteration over the corpus. */
  iterate(): TrainingStep {
    const trainer = this.#started();
    const iteration = trainer.iterate();
    this.#iterations = iteration.iteration;
    this.#ended = iteration.ending !== undefined;
    return {
      contribution: summedContribution(this.model.parameters, {
        ...{ loss: iteration.loss, sentences: this.#sentences, tokens: this.#tokens },
      }),
      step: this.#iterations,
      sentencesSeen: this.sentencesSeen,
      meanLoss: iteration.loss / this.#tokens,
      passEnd: this.#iterations,
      iteration,
      margin: trainer.margin,
    };
  }

  override contribute(): Contribution {
    throw notOnline();
  }

  protected override update(): void {
    throw notOnline();
  }

  override deployedParameters(): ParameterStore {
    this.#trainer?.settle?.();
    const { parameters } = this.model;
    const deployed = parameters.emptyCopy();
    copyPlane(parameters.weights, deployed.weights, parameters.scale);
    roundToFloat32(deployed.weights);
    deployed.forest = parameters.forest;
    deployed.vectors = parameters.vectors;
    return deployed;
  }

  /**
   * Frees what only further iterations need, before `finish` allocates the weights. The learner can then neither
   * iterate nor save its state.
   */
  release(): void {
    const settle = this.#trainer?.release?.();
    if (settle === undefined) return;
    this.#released = settle;
    this.#trainer = undefined;
  }

  override finish(): ParameterStore {
    this.release();
    this.#released?.();
    this.#trainer?.settle?.();
    // Frees the trainer's corpus and vectors once the model is finished.
    this.#released = undefined;
    this.#trainer = undefined;
    const { parameters } = this.model;
    copyPlane(parameters.weights, parameters.weights, parameters.scale);
    roundToFloat32(parameters.weights);
    parameters.scale = 1;
    parameters.version += 1;
    return parameters;
  }

  override save(): State {
    const { json, arrays } = this.#started().save();
    return { json: { trainer: json, iterations: this.#iterations, ended: this.#ended }, arrays };
  }

  override restore({ json, arrays }: State): void {
    const { trainer, iterations, ended } = json;
    if (typeof trainer !== 'object' || trainer === null) throw wrongState('there is no trainer');
    if (!Number.isSafeInteger(iterations)) throw wrongState('there is no number of iterations');
    this.#iterations = iterations as number;
    this.#ended = ended === true;
    this.#restored = { json: trainer as State['json'], arrays };
  }

  #started(): Trainer {
    if (this.#trainer !== undefined) return this.#trainer;
    throw new TagstreamError('stage', 'the batch optimizer has not been given a corpus', {
      fix: 'call begin with the corpus, as iterate(learner) does',
    });
  }
}

function notOnline(): TagstreamError {
  return new TagstreamError('stage', 'a batch optimizer cannot learn from single minibatches', {
    fix: 'use iterate(learner) instead of passes, batch, contribute and optimize',
  });
}
