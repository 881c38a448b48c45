import { TagstreamError } from '../../core/errors.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { Confidence, Contribution } from '../../core/training/contribution.js';
import { requireCapability } from '../../inference/scorers/scorers.js';
import { requireStructure } from '../../inference/structures/structures.js';
import { divideSentences, MemberSpeeds } from '../../kernels/group/divide-sentences.js';
import { type Command, commands } from '../../kernels/group/group-signals.js';
import { MemberKernel } from '../../kernels/group/member-kernel.js';
import { type PlacedCorpus, placedCorpus, shareCorpus } from '../../kernels/group/placed-corpus.js';
import { StepMemory } from '../../kernels/group/step-memory.js';
import { Lattice } from '../../kernels/lattice.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { placesOf } from '../../kernels/store/placed-store.js';
import type { Loss } from '../../losses/loss.js';
import { LatticeContribution } from '../../losses/residuals/lattice-contribution.js';
import { sharedLoss } from '../../losses/shared-loss.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import { Learner } from '../learning/learner.js';
import type { FreshState } from '../learning/seed-mean.js';
import type { Model } from '../model.js';
import { GroupWorker } from './group-worker.js';
import { type GroupMode, groupLoss, groupOptimizer, type WorkerGroup } from './worker-group.js';

/** Options of a learner with several threads. */
export interface ParallelOptions {
  readonly loss: Loss;
  /** Name of the optimizer, to which the checked `options` belong. */
  readonly optimizer: string;
  readonly options: unknown;
  /** Optimizers known to the group's threads; Tagstream's own if absent. */
  readonly optimizers?: readonly OptimizerComponent<never>[];
  readonly mode: GroupMode;
  readonly group: WorkerGroup;
  readonly corpusSize?: number | undefined;
}

/** State that exists once the corpus is known. */
interface Work {
  readonly member: GroupWorker;
  readonly step: StepMemory;
  /** Lattice with the residuals of the whole minibatch. */
  readonly results: Lattice;
  readonly corpus: PlacedCorpus;
  readonly speeds: MemberSpeeds;
}

/**
 * A learner whose steps are computed by a group of threads, including this one, on the same parameters. It
 * replaces a `Learner` in a pipeline after `begin` has received the corpus.
 *
 * Deterministic steps give the same bytes as a `Learner`, for any number of threads. In `hogwild` mode, a
 * minibatch's sentences are learned from one by one, in any order, when its contribution is applied.
 */
export class ParallelLearner extends Learner {
  readonly mode: GroupMode;
  readonly #group: WorkerGroup;
  readonly #kernel: MemberKernel;
  readonly #optimizer: { readonly name: string; readonly options: unknown };
  #work: Work | undefined;
  /** Whether the other threads are executing a command. */
  #busy = false;

  /** @throws TagstreamError `config` if threads cannot share the work of the scorer, layers, optimizer, loss or kernel */
  constructor(model: Model, given: ParallelOptions) {
    requireArgument('ParallelLearner: the model', model, kinds.model);
    requireKnown('ParallelLearner', given, [
      ...['loss', 'optimizer', 'options', 'optimizers', 'mode', 'group', 'corpusSize'],
    ]);
    requireStructure(model.spec, 'workers', 'training by several threads');
    requireCapability(model.spec.scorer, 'workers', 'training by several threads');
    requireArgument('ParallelLearner: the group', given.group, kinds.group);
    const component = groupOptimizer(given.optimizer, given.mode, given.optimizers);
    const kernel = new MemberKernel(model.kernel);
    const { parameters } = model;
    const create = (corpusSize: number) =>
      component.create(given.options as never, { kernel, parameters, corpusSize });
    super(model, groupLoss(given.loss), create, given.corpusSize);
    if (model.kernel.canShare !== true) throw withoutThreads(model.kernel.name);
    this.mode = given.mode;
    this.#group = given.group;
    this.#kernel = kernel;
    this.#optimizer = { name: given.optimizer, options: given.options };
  }

  /**
   * Moves the final corpus and the parameters to shared memory, and starts the threads. Minibatches
   * can only contain sentences of the corpus. Cost O(corpus).
   */
  begin(corpus: readonly EncodedSentence[]): void {
    const { model, optimizer } = this;
    model.reserve();
    if (this.mode === 'hogwild' && optimizer.rightInARow !== undefined) {
      throw withoutSeparation(optimizer.name);
    }
    optimizer.prepare();
    this.noteFresh();
    const { parameters } = model;
    const { memory } = parameters;
    memory.share();
    const { members, signals } = this.#group;
    const places = shareCorpus(memory, packMinibatch([...corpus]));
    const shared = placedCorpus(memory, places);
    const sizes = { sentences: corpus.length, tokens: shared.tokens, members };
    const step = StepMemory.create(memory, sizes);
    const { json, arrays } = optimizer.save();
    const sent = Object.entries(arrays).filter(([, array]) => array.buffer !== memory.buffer);
    this.#group.start({
      memory: memory.memory,
      mode: this.mode,
      precision: parameters.precision,
      store: placesOf(parameters),
      corpus: places,
      step: step.places,
      loss: sharedLoss(this.loss)!,
      fresh: this.seeds?.fresh,
      optimizer: {
        ...this.#optimizer,
        corpusSize: model.corpusSize ?? corpus.length,
        json,
        arrays: Object.fromEntries(sent.map(([name, array]) => [name, array.slice()])),
      },
    });
    if (this.mode === 'hogwild') this.#kernel.join(0, () => signals.meet());
    const member = new GroupWorker({
      ...{ member: 0, kernel: this.#kernel, store: parameters, corpus: shared, step },
      ...{ loss: this.loss, optimizer },
    });
    const results = new Lattice(memory, parameters.precision);
    const speeds = new MemberSpeeds(members);
    this.#work = { member, step, results, corpus: shared, speeds };
    if (optimizer.lazy === true) this.#awaitCopies(member, step);
  }

  /**
   * Waits until all members have copied the parameters, because a lazy optimizer changes this thread's
   * parameters before the first minibatch is scored. Uses an empty contribution as a barrier.
   */
  #awaitCopies(member: GroupWorker, step: StepMemory): void {
    step.count = 0;
    step.shares.fill(0);
    this.#together(commands.contribute, () => member.contribute());
    this.#settle();
  }

  override contribute(minibatch: Minibatch, predict = false): Contribution {
    const { step, results, member, speeds } = this.#started();
    const { parameters } = this.model;
    this.#settle();
    this.beginSeed();
    this.#name(minibatch);
    step.predicts = predict;
    if (this.mode === 'hogwild') return new RoundContribution(minibatch, parameters, predict);
    results.open(parameters, minibatch);
    step.placeResults({
      nodes: results.nodes.offset,
      transitions: results.transitions.offset,
      edges: results.edges.offset,
    });
    const slots = results.slots === 0 ? undefined : results.edgeSlots;
    divideSentences(step, minibatch, slots, speeds.speeds);
    try {
      this.#together(commands.contribute, () => member.contribute());
      this.#settle();
      speeds.note(step);
    } catch (error) {
      // Runs again in one thread, which can name the record.
      if (error instanceof TagstreamError && error.code === 'numeric') {
        super.contribute(minibatch, predict);
      }
      throw error;
    }
    return this.#contribution(minibatch, results, step);
  }

  override confidence(): Confidence {
    throw new TagstreamError(
      'config',
      'several threads cannot return probabilities while they learn',
      {
        fix: 'learn in one thread, or tag with the model after training',
      },
    );
  }

  protected override get seesMargins(): boolean {
    return this.mode !== 'hogwild';
  }

  protected override startAfresh(fresh: FreshState): void {
    this.#together(commands.restart, () => super.startAfresh(fresh));
    this.#settle();
  }

  protected override update(contribution: Contribution): void {
    const { member, step } = this.#started();
    if (contribution.sentenceCount === 0) return;
    if (!(contribution instanceof RoundContribution)) {
      this.#together(commands.apply, () => member.apply());
      return;
    }
    this.#name(contribution.minibatch);
    step.predicts = contribution.predicts;
    step.restart();
    this.#together(commands.round, () => member.round());
    this.#settle();
    const { losses, loss, predicted, predictedScores } = this.#counts(contribution.minibatch, step);
    contribution.losses = losses;
    contribution.loss = loss;
    if (predicted === undefined || predictedScores === undefined) return;
    contribution.predicted = predicted;
    contribution.predictedScores = predictedScores;
  }

  /**
   * Starts a command in all members and runs this thread's part; the other members may not have
   * finished on return.
   */
  #together(command: Command, work: () => void): void {
    const { signals } = this.#group;
    this.#busy = true;
    signals.begin(command);
    try {
      work();
    } catch (error) {
      signals.fail(error);
      throw error;
    }
  }

  /** Waits until the other threads have finished. */
  #settle(): void {
    if (this.#busy) this.#group.signals.finish();
    this.#busy = false;
  }

  /** Passes the sentences of a minibatch to the other threads. */
  #name({ sentences }: Minibatch): void {
    const { step, corpus } = this.#started();
    const { sentenceStarts } = corpus;
    if (sentences.length > step.numbers.length) throw notOfTheCorpus();
    for (let s = 0; s < sentences.length; s += 1) {
      const { number = -1, length } = sentences[s]!;
      const known = sentenceStarts[number + 1]! - sentenceStarts[number]!;
      if (known !== length) throw notOfTheCorpus();
      step.numbers[s] = number;
    }
    step.count = sentences.length;
  }

  #contribution(minibatch: Minibatch, results: Lattice, step: StepMemory): Contribution {
    const { labelled } = this.#started().corpus;
    const { sentenceStarts } = minibatch;
    let sentenceCount = 0;
    let tokenCount = 0;
    for (let s = 0; s < step.count; s += 1) {
      if (labelled[step.numbers[s]!] === 0) continue;
      sentenceCount += 1;
      tokenCount += sentenceStarts[s + 1]! - sentenceStarts[s]!;
    }
    const { losses, loss, predicted, predictedScores } = this.#counts(minibatch, step);
    return new LatticeContribution(results, {
      minibatch,
      losses,
      loss,
      sentenceCount,
      tokenCount,
      predicted,
      predictedScores,
      version: this.model.parameters.version,
    });
  }

  #counts({ tokens }: Minibatch, step: StepMemory) {
    const { labelled } = this.#started().corpus;
    const losses = new Float64Array(step.count);
    let loss = 0;
    for (let s = 0; s < losses.length; s += 1) {
      losses[s] = step.losses[s]!;
      if (labelled[step.numbers[s]!] === 1) loss += losses[s]!;
    }
    return {
      losses,
      loss,
      predicted: step.predicts ? step.predicted.slice(0, tokens) : undefined,
      predictedScores: step.predicts ? step.predictedScores.slice(0, step.count) : undefined,
    };
  }

  #started(): Work {
    if (this.#work !== undefined) return this.#work;
    throw new TagstreamError('stage', 'the training threads have no corpus yet', {
      fix: 'call begin first: passes(model, { ..., onSettled: corpus => learner.begin(corpus) })',
    });
  }
}

function notOfTheCorpus(): TagstreamError {
  return new TagstreamError('stage', 'a minibatch contains a sentence that is not in the corpus', {
    fix: 'with several workers, use only sentences that you passed to begin, each at most once per minibatch',
  });
}

function withoutSeparation(name: string): TagstreamError {
  const problem = `the optimizer ${name} cannot count the mistakes of a pass with mode: hogwild`;
  return new TagstreamError('config', problem, {
    fix: 'leave out untilSeparated, or use mode: deterministic',
  });
}

function withoutThreads(kernel: string): TagstreamError {
  return new TagstreamError('config', `workers cannot be combined with the kernel ${kernel}`, {
    fix: 'use the kernel simd or simd64, or workers: 1',
  });
}

const none = new Float64Array(0);

/**
 * The contribution of a minibatch whose sentences are learned from one by one when it is applied; it
 * has losses and best labels from then on, but never residuals.
 */
class RoundContribution implements Contribution {
  readonly minibatch: Minibatch;
  readonly width: number;
  readonly matrixSize: number;
  readonly residual = none;
  readonly transitionResidual = none;
  readonly edgeResidual = none;
  readonly edgeSlots = new Int32Array(0);
  readonly sentenceCount: number;
  readonly tokenCount: number;
  readonly version: number;
  readonly predicts: boolean;
  losses: Float64Array = none;
  loss = 0;
  declare predicted?: Int32Array;
  declare predictedScores?: Float64Array;

  constructor(minibatch: Minibatch, store: ParameterStore, predicts: boolean) {
    this.minibatch = minibatch;
    this.width = store.width;
    this.matrixSize = store.matrixSize;
    this.version = store.version;
    this.predicts = predicts;
    const { labelled, sentenceStarts } = minibatch;
    let sentences = 0;
    let tokens = 0;
    for (let s = 0; s < labelled.length; s += 1) {
      if (labelled[s] === 0) continue;
      sentences += 1;
      tokens += sentenceStarts[s + 1]! - sentenceStarts[s]!;
    }
    this.sentenceCount = sentences;
    this.tokenCount = tokens;
  }

  assertCurrent(): void {}

  detach(): Contribution {
    return this;
  }
}
