import { TagstreamError } from '../../../core/errors.js';
import { type EncodedSentence, isLabelled } from '../../../core/minibatch/encoded-sentence.js';
import { PackedMinibatch } from '../../../core/minibatch/packed-minibatch.js';
import type { Contribution } from '../../../core/training/contribution.js';
import { type State, stateArray, stateCount, wrongState } from '../../../core/training/state.js';
import type { TrainingStep } from '../../../core/training/training-step.js';
import { requireCapability } from '../../../inference/scorers/scorers.js';
import { requireStructure } from '../../../inference/structures/structures.js';
import { type CorpusNumbers, corpusNumbers } from '../../../kernels/group/placed-corpus.js';
import { type Plane, roundToFloat32 } from '../../../kernels/memory/plane.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { shapeOf } from '../../../kernels/store/placed-store.js';
import type { Loss } from '../../../losses/loss.js';
import { sharedLoss } from '../../../losses/shared-loss.js';
import type { Mixing } from '../../../optimizers/optimizer.js';
import { planeArrays, restorePlane } from '../../../optimizers/planes/planes.js';
import { fnv1a } from '../../../text/fnv1a.js';
import { evictFeatures } from '../../learning/drop-features.js';
import { Learner, summedContribution } from '../../learning/learner.js';
import type { Model } from '../../model.js';
import { groupLoss, groupOptimizer } from '../worker-group.js';
import { Mixer, mixingOf, planeShapeOf } from './mixer.js';
import { planeNumbers } from './patch.js';
import type { ShardExecutor } from './shard-executor.js';
import type { MinibatchLimits, MixedPlanes, ShardJob, ShardResult } from './shard-job.js';

/** Options of a learner that mixes parameters. */
export interface MixingOptions {
  readonly loss: Loss;
  /** Name of the optimizer, to which the checked `options` belong. */
  readonly optimizer: string;
  readonly options: unknown;
  readonly shards: number;
  readonly minibatches?: MinibatchLimits | undefined;
  /** Seed of the sentence order. Default 1. */
  readonly seed?: number | undefined;
  /** Whether each pass has a new sentence order. Default true. */
  readonly shuffle?: boolean | undefined;
  /**
   * Corpus size N for a stream, which is learned from in rounds instead of passes over a corpus.
   */
  readonly streamSize?: number | undefined;
}

/**
 * A learner whose steps are passes over all shards of a corpus, executed by other workers; see `Mixer`. It replaces a
 * `Learner` in a pipeline, for evaluation and checkpoints, after `begin` has received the corpus. On a stream, each
 * step is a round of sentences that are distributed to shards and learned from once; the model may grow between rounds.
 */
export class MixingLearner extends Learner {
  readonly #given: MixingOptions;
  #executor: ShardExecutor | undefined;
  #passes = 0;
  #mixer: Mixer | undefined;
  #mixing: Mixing | undefined;
  /** State to resume from once the corpus is known. */
  #restored: State | undefined;
  /** Number of sentences of a stream learned from so far. */
  #seen = 0;
  /**
   * Number of sentences whose round is incomplete or not yet learned from; maintained by the
   * collector.
   */
  waiting = 0;

  /** @throws TagstreamError `config` if shards cannot share the work of the scorer, structure, optimizer, loss or kernel */
  constructor(model: Model, given: MixingOptions) {
    requireStructure(model.spec, 'workers', 'training on many machines');
    requireCapability(model.spec.scorer, 'workers', 'training on many machines');
    const component = groupOptimizer(given.optimizer, 'deterministic');
    const { kernel, parameters } = model;
    const { streamSize } = given;
    const setting = { kernel, parameters, endless: streamSize !== undefined, mixed: true };
    super(
      ...([model, groupLoss(given.loss)] as const),
      corpusSize => component.create(given.options as never, { ...setting, corpusSize }),
      streamSize,
    );
    if (kernel.canShare !== true) throw withoutShards(kernel.name);
    this.#given = given;
  }

  /** Receives the final corpus, and passes its shards to the executor. */
  async begin(corpus: readonly EncodedSentence[], executor: ShardExecutor): Promise<void> {
    this.#prepare();
    await executor.begin(this.#job(corpus.length), cutShards(corpus, this.#given.shards));
    this.#executor = executor;
  }

  /** Receives the executor for all rounds of a stream, before its first sentence is encoded. */
  beginStream(executor: ShardExecutor): void {
    this.#prepare();
    this.#executor = executor;
  }

  #prepare(): void {
    this.model.reserve();
    this.#mixing = mixingOf(this.optimizer);
    this.optimizer.prepare();
    scaleIn(this.model);
    this.#mixer = new Mixer(
      () => this.#planes(),
      () => planeShapeOf(this.model.parameters),
    );
    this.#resume();
  }

  #job(corpusSize: number): ShardJob {
    const { parameters } = this.model;
    const { optimizer, options, minibatches = {}, seed = 1, shuffle = true } = this.#given;
    return {
      precision: parameters.precision,
      shape: { ...shapeOf(parameters), scale: 1 },
      loss: sharedLoss(this.loss)!,
      optimizer: { name: optimizer, options },
      ...{ corpusSize, minibatches, seed, shuffle },
    };
  }

  /** Number of passes so far. */
  get passes(): number {
    return this.#passes;
  }

  /** Makes one pass over all shards. */
  async pass(): Promise<TrainingStep> {
    if (this.#executor === undefined || this.#mixer === undefined) throw notOnline();
    const results = await this.#executor.pass(this.#passes + 1, this.#planes());
    this.#mixer.mix(results);
    this.model.parameters.version += 1;
    this.#passes += 1;
    return this.#step(results);
  }

  /**
   * Runs one round of a stream: grows the model for everything it has seen, then distributes the round's labelled
   * sentences to shards, each of which learns from its own sentences once, in order.
   *
   * @param options `predict`: whether the step has predictions; `isWanted`: called before the weights change
   * @returns undefined if the round is no longer wanted
   */
  async round(
    sentences: readonly EncodedSentence[],
    options: { readonly predict: boolean; isWanted(): boolean },
  ): Promise<TrainingStep | undefined> {
    const { model } = this;
    const [executor, mixer] = [this.#executor, this.#mixer];
    if (executor === undefined || mixer === undefined) throw notOnline();
    this.requireCorpus({ sentences });
    this.#grow();
    const { streamSize, shards } = this.#given;
    const dealt = dealRound(sentences, shards);
    const job: ShardJob = {
      ...this.#job(streamSize!),
      shuffle: false,
      round: { seen: this.#seen, predict: options.predict },
    };
    const parts = dealt.map(numbers =>
      corpusNumbers(new PackedMinibatch(numbers.map(i => sentences[i]!))),
    );
    await executor.begin(job, parts);
    const results = await executor.pass(1, this.#planes());
    await executor.leave?.();
    if (!options.isWanted()) return undefined;
    mixer.mix(results);
    model.parameters.version += 1;
    model.parameters.voters = undefined;
    this.#passes += 1;
    const step = this.#step(results);
    this.#seen += step.contribution.sentenceCount;
    this.waiting = 0;
    this.#evict(mixer);
    const contribution = roundOutcome(step.contribution, { sentences, dealt, results });
    return { ...step, sentencesSeen: this.#seen, contribution };
  }

  /** Makes room for everything seen since the last round. */
  #grow(): void {
    const { model } = this;
    model.reserve();
    this.optimizer.prepare();
    model.parameters.forgetReused();
    this.#mixer?.fit();
  }

  #evict(mixer: Mixer): void {
    const { optimizer } = this;
    const evicted = evictFeatures(this.model, {
      prepare: () => optimizer.prepare(),
      kept: () => optimizer.kept?.() ?? [],
      forget: (rows, blocks) => {
        optimizer.forget?.(rows, blocks);
        mixer.forget(rows, blocks);
      },
    });
    if (evicted > 0) this.onEvicted?.(evicted);
  }

  #step(results: readonly ShardResult[]): TrainingStep {
    const sum = (of: 'sentences' | 'tokens' | 'loss') =>
      results.reduce((total, result) => total + result[of], 0);
    const counts = { loss: sum('loss'), sentences: sum('sentences'), tokens: sum('tokens') };
    return {
      contribution: summedContribution(this.model.parameters, counts),
      step: this.#passes,
      sentencesSeen: this.sentencesSeen,
      meanLoss: counts.tokens === 0 ? 0 : counts.loss / counts.tokens,
      passEnd: this.#passes,
    };
  }

  #planes(): MixedPlanes {
    const { parameters } = this.model;
    const sums = this.#mixing?.sums ?? [];
    return [parameters.weights, ...sums].map(plane => planeNumbers(parameters, plane));
  }

  override get votes(): boolean {
    return false;
  }

  override get separated(): boolean {
    return false;
  }

  override get sentencesSeen(): number {
    if (this.#given.streamSize !== undefined) return this.#seen;
    return this.#passes * (this.model.corpusSize ?? 0);
  }

  override contribute(): Contribution {
    throw notOnline();
  }

  protected override update(): void {
    throw notOnline();
  }

  override deployedParameters(): ParameterStore {
    const { parameters } = this.model;
    this.#fit();
    const deployed = parameters.emptyCopy();
    this.#deploy(parameters, deployed.weights, deployed);
    return deployed;
  }

  override finish(): ParameterStore {
    const { parameters } = this.model;
    this.#fit();
    this.#deploy(parameters, parameters.weights, parameters);
    parameters.version += 1;
    return parameters;
  }

  /**
   * If a stream ended or paused within a round, the model has seen sentences that it has not
   * learned from.
   */
  #fit(): void {
    if (this.#given.streamSize !== undefined) this.#grow();
  }

  /** Copies the average if there is one, otherwise the mixed weights. */
  #deploy(from: ParameterStore, plane: Plane, to: ParameterStore): void {
    const averages = this.#mixer?.averages;
    const target = planeNumbers(to, plane);
    const present = planeNumbers(from, from.weights);
    for (const [t, table] of target.entries()) {
      if (averages === undefined) table.set(present[t]!);
      else {
        const sums = averages.sums[t]!;
        for (let i = 0; i < table.length; i += 1) table[i] = sums[i]! / averages.sentences;
      }
    }
    roundToFloat32(plane);
  }

  override save(): State {
    const averages = this.#mixer?.averages;
    const sums = this.#mixing?.sums ?? [];
    const arrays = Object.assign(
      {},
      ...sums.map((plane, i) => planeArrays(`sums.${i}`, plane)),
      ...(averages?.sums ?? []).map((table, t) => ({ [`averages.${t}`]: table })),
    ) as State['arrays'];
    const json = { passes: this.#passes, averaged: averages?.sentences ?? 0 };
    const isStream = this.#given.streamSize !== undefined;
    return { json: isStream ? { ...json, seen: this.#seen } : json, arrays };
  }

  override restore(state: State): void {
    this.#passes = stateCount(state, 'passes');
    if (this.#given.streamSize !== undefined) this.#seen = stateCount(state, 'seen');
    this.#restored = state;
  }

  /** Resumes from a restored state, if any. */
  #resume(): void {
    const state = this.#restored;
    if (state === undefined) return;
    this.#restored = undefined;
    for (const [i, plane] of this.#mixing!.sums.entries()) restorePlane(`sums.${i}`, plane, state);
    const sentences = stateCount(state, 'averaged');
    if (sentences === 0) return;
    const sums = this.#planes()[0]!.map(({ length }, t) => {
      const saved = stateArray(state, `averages.${t}`, [Float64Array], length);
      if (saved.length !== length) throw wrongState('the averages do not match the model');
      return saved;
    });
    this.#mixer!.restore(sums, sentences);
  }
}

/** Applies the scale that initial weights may have. */
function scaleIn({ kernel, parameters }: Model): void {
  if (parameters.scale === 1) return;
  kernel.scalePlane(parameters.weights, parameters.scale);
  parameters.scale = 1;
}

function notOnline(): TagstreamError {
  return new TagstreamError('stage', 'parameter mixing cannot learn from single minibatches', {
    fix: 'use mixPasses(learner) or mixRounds(learner) instead of passes, batch, contribute and optimize',
  });
}

function withoutShards(kernel: string): TagstreamError {
  return new TagstreamError(
    'config',
    `train.cluster cannot be combined with the kernel ${kernel}`,
    {
      fix: 'use the kernel simd or simd64, or leave train.cluster out',
    },
  );
}

/**
 * Distributes a round's sentences to shards: a record's labelled sentences go to shard `FNV-1a of its id mod shards`,
 * so that equal ids are learned in one place; the round's i-th record, if it has no id, goes to shard `i mod shards`.
 * Shards without sentences are omitted.
 *
 * @returns the numbers of each shard's sentences in the round, ascending
 */
export function dealRound(sentences: readonly EncodedSentence[], shards: number): number[][] {
  const dealt = Array.from({ length: shards }, (): number[] => []);
  let record = -1;
  let last: object | undefined;
  for (const [i, encoded] of sentences.entries()) {
    const { document } = encoded.sentence;
    if (document !== last) record += 1;
    last = document;
    if (!isLabelled(encoded)) continue;
    const hash = document.id === undefined ? record : fnv1a(document.id);
    dealt[hash % shards]!.push(i);
  }
  return dealt.filter(({ length }) => length > 0);
}

/** The contents of a round. */
interface Round {
  readonly sentences: readonly EncodedSentence[];
  /** Numbers of each shard's sentences. */
  readonly dealt: readonly (readonly number[])[];
  readonly results: readonly ShardResult[];
}

/** Returns the sums of a round with its sentences and their predictions, in stream order. */
function roundOutcome(sums: Contribution, { sentences, dealt, results }: Round): Contribution {
  const minibatch = new PackedMinibatch(sentences);
  const whole: Contribution = { ...sums, minibatch, detach: () => whole };
  if (results.some(({ predictions }) => predictions === undefined)) return whole;
  const predicted = new Int32Array(minibatch.tokens).fill(-1);
  const losses = new Float64Array(sentences.length);
  for (const [shard, numbers] of dealt.entries()) {
    const said = results[shard]!.predictions!;
    let token = 0;
    for (const [k, i] of numbers.entries()) {
      const { length } = sentences[i]!;
      predicted.set(said.labels.subarray(token, token + length), minibatch.sentenceStarts[i]!);
      losses[i] = said.losses[k]!;
      token += length;
    }
  }
  return Object.assign(whole, { predicted, losses });
}

/**
 * Distributes a corpus to shards: sentence i belongs to shard `i mod shards`, so that each shard is a sample of
 * the corpus.
 *
 * @throws TagstreamError `config` if there are more shards than sentences
 */
function cutShards(corpus: readonly EncodedSentence[], shards: number): CorpusNumbers[] {
  if (shards > corpus.length) {
    const problem = `${corpus.length} sentences cannot be cut into ${shards} shards`;
    throw new TagstreamError('config', problem, { fix: 'use fewer shards' });
  }
  return Array.from({ length: shards }, (_, shard) =>
    corpusNumbers(new PackedMinibatch(corpus.filter((_, i) => i % shards === shard))),
  );
}
