import { identity, type OperatorFunction, pipe, takeUntil, tap } from 'rxjs';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { EncodedSentence } from '../../../engine/core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../../engine/core/minibatch/minibatch.js';
import type { Durations } from '../../../engine/core/run-status.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import type { TrainingStep } from '../../../engine/core/training/training-step.js';
import type { ConfidenceOptions } from '../../../engine/models/decoding/decode-options.js';
import type { MixingLearner } from '../../../engine/models/group/mixing/mixing-learner.js';
import type { ShardExecutor } from '../../../engine/models/group/mixing/shard-executor.js';
import type { BatchLearner } from '../../../engine/models/learning/batch-learner.js';
import type { Contest } from '../../../engine/models/learning/contest.js';
import type { Learner } from '../../../engine/models/learning/learner.js';
import type { ReplayMemory } from '../../../engine/models/learning/replay-memory.js';
import { type BatchOptions, batch } from '../../../engine/operators/batch.js';
import { contribute } from '../../../engine/operators/contribute.js';
import { iterate } from '../../../engine/operators/iterate.js';
import { mixPasses } from '../../../engine/operators/mixing/mix-passes.js';
import { mixRounds } from '../../../engine/operators/mixing/mix-rounds.js';
import { optimize } from '../../../engine/operators/optimize.js';
import { type PassesOptions, passes } from '../../../engine/operators/passes.js';
import { replay } from '../../../engine/operators/replay.js';
import { aborted, timed } from '../setup/operators.js';

/** Receives a corpus before learning begins. */
export type OnSettled = (corpus: readonly EncodedSentence[]) => void;

/** Encodes sentences as rows of features. */
export type Encode = OperatorFunction<Sentence, EncodedSentence>;

/** A learner with its challengers, the best of which answers. */
export interface Challenged {
  readonly contest: Contest;
  /** The steps of the contest, instead of those of the learner. */
  readonly learn: OperatorFunction<Minibatch, TrainingStep>;
}

/** How a learner makes its training steps. */
export interface StepOptions {
  /** Limits of the passes over a corpus, or of the iterations of a batch optimizer. */
  readonly passes?: Pick<PassesOptions, 'epochs' | 'seeds' | 'seed' | 'shuffle' | 'dropout'>;
  readonly batch?: BatchOptions | undefined;
  /** The sentences replayed on a stream, and how often. */
  readonly replay?: { readonly memory: ReplayMemory; readonly each: number } | undefined;
  /** Adds challengers to an online learner. */
  readonly challenge?: ((learner: Learner) => Challenged) | undefined;
  /** Whether steps contain the best labels before the update. Default false. */
  readonly predict?: boolean | undefined;
  /** Adds the probabilities of the best labels to the steps. */
  readonly confidence?: ConfidenceOptions | undefined;
  /** Ends the steps. An incomplete minibatch is then dropped, so that the next run packs it the same way. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the duration of each minibatch. */
  readonly durations?: Durations | undefined;
}

/** A learner with its training procedure: passes, iterations of a batch optimizer, or rounds on many machines. */
export interface Trainee {
  readonly learner: Learner;
  /**
   * The contest of the learner and its challengers, if there are any: its champion answers and provides the resulting
   * model.
   */
  readonly contest?: Contest | undefined;
  /**
   * Number of sentences of a stream that wait for their minibatch or round: the model has seen them, but not learned from
   * them.
   */
  readonly waiting: number;
  /** Whether nothing was left to learn at the end of the last pass. */
  readonly isComplete: boolean;
  /** Frees memory that only further steps need; absent if there is none. */
  release?(): void;
  /**
   * Returns an operator that makes the steps over a corpus, which it collects first. A restored learner continues where
   * it left off.
   */
  over(onSettled: OnSettled): OperatorFunction<EncodedSentence, TrainingStep>;
  /** Returns an operator that makes the steps along a stream, learning from each sentence once. */
  along(encode: Encode): OperatorFunction<Sentence, TrainingStep>;
}

/** Learns minibatch by minibatch. */
export class OnlineTrainee implements Trainee {
  readonly learner: Learner;
  #waiting = 0;
  readonly #options: StepOptions;
  readonly #begin: OnSettled | undefined;
  readonly #challenged: Challenged | undefined;

  /** @param begin receives the corpus after all others, because several threads share it */
  constructor(learner: Learner, options: StepOptions, begin?: OnSettled) {
    this.learner = learner;
    this.#options = options;
    this.#begin = begin;
    this.#challenged = options.challenge?.(learner);
  }

  get contest(): Contest | undefined {
    return this.#challenged?.contest;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get isComplete(): boolean {
    const { learner } = this;
    const { corpusSize } = learner.model;
    if (this.#options.passes === undefined || corpusSize === undefined) return false;
    return learner.sentencesSeen % corpusSize === 0 && learner.separated;
  }

  over(onSettled: OnSettled): OperatorFunction<EncodedSentence, TrainingStep> {
    const { learner } = this;
    const visits = passes(learner.model, {
      ...requirePasses(this.#options),
      skip: learner.sentencesSeen,
      onSettled: corpus => {
        onSettled(corpus);
        this.#begin?.(corpus);
      },
    });
    return pipe(visits, this.#steps());
  }

  along(encode: Encode): OperatorFunction<Sentence, TrainingStep> {
    return pipe(
      encode,
      tap(() => {
        this.#waiting += 1;
      }),
      this.#steps(),
      tap(({ contribution }) => {
        this.#waiting -= contribution.minibatch.sentences.length;
      }),
    );
  }

  #steps(): OperatorFunction<EncodedSentence, TrainingStep> {
    const { batch: limits, predict = false, confidence, signal, durations } = this.#options;
    const { replay: again } = this.#options;
    return pipe(
      batch(limits),
      signal === undefined ? identity : takeUntil(aborted(signal)),
      durations === undefined ? identity : timed(durations),
      again === undefined ? identity : replay(this.learner, again.memory, { each: again.each }),
      this.#challenged?.learn ??
        pipe(contribute(this.learner, { predict, ...confidence }), optimize(this.learner)),
    );
  }
}

/** Learns by the iterations of a batch optimizer. */
export class BatchTrainee implements Trainee {
  readonly learner: BatchLearner;
  readonly waiting = 0;
  readonly isComplete = false;
  readonly #options: StepOptions;

  constructor(learner: BatchLearner, options: StepOptions) {
    this.learner = learner;
    this.#options = options;
  }

  release(): void {
    this.learner.release();
  }

  over(onSettled: OnSettled): OperatorFunction<EncodedSentence, TrainingStep> {
    const { epochs: iterations } = requirePasses(this.#options);
    return pipe(iterate(this.learner, { iterations, onSettled }), untilAborted(this.#options));
  }

  along(): never {
    throw new TagstreamError('config', 'a batch optimizer needs a corpus in memory', {
      fix: 'give train.epochs, the maximum number of iterations',
    });
  }
}

/** Learns by passes or rounds of other machines, and mixes their weights. */
export class MixingTrainee implements Trainee {
  readonly learner: MixingLearner;
  readonly isComplete = false;
  readonly #options: StepOptions;
  readonly #executor: () => ShardExecutor;
  readonly #every: number | undefined;

  /**
   * @param executor returns the executor of passes over the shards; called at the first sentence
   * @param every number of labelled sentences per round on a stream
   */
  constructor(
    learner: MixingLearner,
    options: StepOptions,
    {
      executor,
      every,
    }: { readonly executor: () => ShardExecutor; readonly every?: number | undefined },
  ) {
    this.learner = learner;
    this.#options = options;
    this.#executor = executor;
    this.#every = every;
  }

  get waiting(): number {
    return this.learner.waiting;
  }

  over(onSettled: OnSettled): OperatorFunction<EncodedSentence, TrainingStep> {
    const { epochs } = requirePasses(this.#options);
    const executor = this.#executor();
    return pipe(
      mixPasses(this.learner, { epochs, executor, onSettled }),
      untilAborted(this.#options),
    );
  }

  along(encode: Encode): OperatorFunction<Sentence, TrainingStep> {
    const { predict } = this.#options;
    const every = this.#every!;
    const executor = this.#executor();
    return pipe(
      mixRounds(this.learner, { every, executor, encode, predict }),
      untilAborted(this.#options),
    );
  }
}

function untilAborted<Item>({ signal }: StepOptions): OperatorFunction<Item, Item> {
  return signal === undefined ? identity : takeUntil(aborted(signal));
}

/** @throws TagstreamError `config` if the number of passes over a corpus is not given */
function requirePasses({ passes: given }: StepOptions): NonNullable<StepOptions['passes']> {
  if (given !== undefined) return given;
  throw new TagstreamError('config', 'the number of passes over the corpus is unknown', {
    fix: 'give train.epochs',
  });
}
