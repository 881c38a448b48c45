import type { ClusterOptions } from '../../../engine/interfaces/cluster-options.js';
import type { PluginStage } from '../../../engine/interfaces/loaded-plugin.js';
import type { LossComponent } from '../../../engine/losses/loss-components.js';
import type { GrowthLimit } from '../../../engine/models/growth-limit.js';
import type { OptimizerComponent } from '../../../engine/optimizers/optimizer.js';
import type { TrainerComponent } from '../../../engine/trainers/trainer-component.js';
import type { Path } from '../file/yaml-document.js';
import type { ChallengeOptions } from '../options/challenge-options.js';
import type { ColumnsOptions } from '../options/column-options.js';
import type { DeadLetterSection } from '../options/dead-letter-options.js';
import type { DeployOptions } from '../options/deploy-options.js';
import type { FeaturizeOptions, ModelFileChoice } from '../options/feature-options.js';
import type { ModelChoice } from '../options/model-option.js';
import { chosenOf } from '../options/one-of.js';
import type { TagStageOptions } from '../options/rule-options.js';
import type { SinkOptions } from '../options/sink-options.js';
import type {
  AskOptions,
  BatchOptions,
  CheckpointOptions,
  ContributeOptions,
  EvaluateOptions,
  JoinOptions,
  ReplayOptions,
} from '../options/stage-options.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';
import type { TrainOptions } from '../options/train-options.js';
import type { ChosenSource } from '../sources/source-component.js';

/** A part of a plan: its checked options, and its position in the file. */
export interface Part<Options> {
  /** Its path in the request, such as `['stages', 3, 'optimize']` in a pipeline file; options are below it. */
  readonly path: Path;
  readonly options: Options;
}

/** The source of records. */
export type SourcePart = ChosenSource & Pick<Part<unknown>, 'path'>;

/** The features of a model. */
export interface FeaturesPart extends Part<FeaturizeOptions>, ModelChoice {
  /** Path of the scorer, hidden states, covariance and structure. */
  readonly modelPath: Path;
  /** The growth limit of the model on a stream; absent on a corpus, and if nothing is learned. */
  readonly limit: GrowthLimit | undefined;
}

/** How sentences become minibatches. */
export interface BatchPart extends Part<BatchOptions> {
  /** Maximum number of sentences that it holds back before it passes on the first. */
  readonly most: number;
}

/** The loss, with the given options. */
export interface LossPart extends Part<Readonly<Record<string, unknown>>> {
  readonly component: LossComponent<never>;
}

/** An online optimizer of this process. */
export interface OnlinePart extends Part<Readonly<Record<string, unknown>>> {
  readonly kind: 'online';
  readonly component: OptimizerComponent<never>;
}

/** A batch optimizer; with a cluster, other machines compute its sums. */
export interface BatchTrainerPart extends Part<Readonly<Record<string, unknown>>> {
  readonly kind: 'batch';
  readonly component: TrainerComponent<never>;
  readonly cluster: ClusterOptions | undefined;
}

/** An online optimizer on many machines, whose weights are mixed after each pass or round. */
export interface ClusterPart extends Part<Readonly<Record<string, unknown>>> {
  readonly kind: 'cluster';
  readonly component: OptimizerComponent<never>;
  readonly cluster: ClusterOptions;
}

/** How weights are learned. */
export type OptimizerPart = OnlinePart | BatchTrainerPart | ClusterPart;

/** How late labels are joined to their records. */
export interface JoinPart extends Part<JoinOptions> {
  /** A source of labels in addition to the stream. */
  readonly labels: ChosenSource | undefined;
}

/** How the model is scored while it learns. */
export type EvaluationPart =
  | (Part<EvaluateOptions> & { readonly kind: 'held-out'; readonly source: ChosenSource })
  | (Part<EvaluateOptions> & { readonly kind: 'progressive' });

/** A stage of a plug-in. */
export interface AddedPart extends Part<Readonly<Record<string, unknown>>> {
  readonly component: PluginStage;
  /** Names of the stages before it. */
  readonly after: readonly string[];
}

/** The destination of checkpoints, and when they are written. */
export interface CheckpointPart extends Part<CheckpointOptions> {
  /** Absolute path of the folder. */
  readonly directory: string;
}

/**
 * What is learned and how, independent of the source of records: the part that a plan shares with a request to `train`.
 */
export interface Training {
  readonly kind: 'train' | 'learn';
  readonly features: FeaturesPart;
  readonly batch: BatchPart;
  readonly loss: LossPart;
  readonly optimizer: OptimizerPart;
  readonly evaluation: Part<Pick<EvaluateOptions, 'patience' | 'best'>> | undefined;
  readonly train: Part<TrainOptions>;
  /** Columns that are learned after the tags. */
  readonly columns: Part<ColumnsOptions> | undefined;
}

/** The common part of all plans. */
export interface AnyPlan {
  readonly source: SourcePart;
  /** The join of records that wait for their labels. */
  readonly join: JoinPart | undefined;
  /** Options of tokenization. Default for a plan that only tags: those of the model's training data. */
  readonly tokenize: Part<TokenizeStageOptions> | undefined;
  readonly features: FeaturesPart;
  readonly batch: BatchPart;
  /** The replay of earlier sentences. */
  readonly replay: Part<ReplayOptions> | undefined;
  /** The options for requesting labels. */
  readonly ask: Part<AskOptions> | undefined;
  readonly checkpoint: CheckpointPart | undefined;
  /** Stages of plug-ins, in order. */
  readonly added: readonly AddedPart[];
  readonly sink: Part<SinkOptions> | undefined;
  readonly deadLetters: Part<DeadLetterSection> | undefined;
}

/** The common part of plans that learn. */
export interface LearningPlan extends AnyPlan {
  readonly loss: LossPart;
  readonly optimizer: OptimizerPart;
  readonly evaluation: EvaluationPart | undefined;
  readonly model: undefined;
  /** Columns that are learned after the tags. */
  readonly columns: Part<ColumnsOptions> | undefined;
}

/** A plan with passes over a corpus, or iterations of a batch optimizer. */
export interface TrainPlan extends LearningPlan {
  readonly kind: 'train';
  readonly train: Part<TrainOptions & { readonly epochs: number }>;
  readonly decode: undefined;
  readonly deploy: undefined;
}

/** A plan that learns once from a stream. */
export interface LearnPlan extends LearningPlan {
  readonly kind: 'learn';
  readonly train: Part<TrainOptions & { readonly epochs?: undefined }>;
  /** Decoding options; present if records are tagged before they are learned from. */
  readonly decode: Part<TagStageOptions> | undefined;
  /** Other learners of the same stream, the best of which answers. */
  readonly challenge: ChallengePart | undefined;
  /** How models are compared with the deployed one. */
  readonly deploy: DeployOptions | undefined;
}

/** Learners that differ from the plan's learner. */
export interface ChallengePart extends Part<ChallengeOptions> {
  /** The challengers, in the order of the options. */
  readonly challengers: readonly Challenger[];
}

/** A learner that differs from the plan's learner in some settings. */
export interface Challenger {
  readonly name: string;
  /** The plan with the challenger's settings. */
  readonly plan: LearnPlan;
  /** Whether it has the same features as the plan, and so learns from the same encoding. */
  readonly isTwin: boolean;
}

/** A plan that tags records and learns nothing. */
export interface TagPlan extends AnyPlan {
  readonly kind: 'tag';
  readonly decode: Part<TagStageOptions>;
  /** Absolute path of the model file, or its address in a registry. */
  readonly model: string;
  /** The column of the model's tags, if named. */
  readonly column: string | undefined;
  /** The models that tag after it, by absolute path. */
  readonly further: readonly ModelFileChoice[];
  readonly train: undefined;
  readonly loss: undefined;
  readonly optimizer: undefined;
  readonly evaluation: undefined;
  readonly deploy: undefined;
}

/** The parts of a run by name; made from a pipeline file, or from a request to `train`. */
export type Plan = TrainPlan | LearnPlan | TagPlan;

type Named = Readonly<Record<string, unknown>>;

/** Returns the batch part for the chosen options. */
export function chooseBatch(part: Part<BatchOptions>): BatchPart {
  const { sentences, tokens } = part.options;
  // A sentence has at least one token.
  const byTokens = tokens ?? (sentences === undefined ? 1 : Number.POSITIVE_INFINITY);
  return { ...part, most: Math.min(sentences ?? Number.POSITIVE_INFINITY, byTokens) };
}

/** Returns the loss that the options of the stage `contribute` name. */
export function chooseLoss(
  { path, options: { loss, cost, missCost } }: Part<ContributeOptions>,
  losses: readonly LossComponent<never>[],
): LossPart {
  const named = typeof loss === 'string' ? { [loss]: { cost, missCost } } : loss;
  const { component, options: own } = chosenOf(losses, named);
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { path, component, options: Object.fromEntries(given) };
}

/** Returns the online or batch optimizer that a choice `{ name: options }` names. */
export function chooseOptimizer(
  { path, options: named }: Part<Named>,
  optimizers: readonly OptimizerComponent<never>[],
  trainers: readonly TrainerComponent<never>[],
  cluster?: ClusterOptions | undefined,
): OptimizerPart {
  if (trainers.some(({ name }) => Object.hasOwn(named, name))) {
    return { kind: 'batch', path, ...chosenOf(trainers, named), cluster };
  }
  const chosen = chosenOf(optimizers, named);
  if (cluster === undefined) return { kind: 'online', path, ...chosen };
  return { kind: 'cluster', path, ...chosen, cluster };
}
