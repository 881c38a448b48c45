import { resolve } from 'node:path';
import { isModelAddress } from '../../io/nats/registry/model-address.js';
import type { ClusterOptions } from '../../io/nats/training/cluster-options.js';
import type { LossComponent } from '../../losses/loss-component.js';
import type { GrowthLimit } from '../../models/growth-limit.js';
import type { OptimizerComponent } from '../../optimizers/optimizer.js';
import type { TrainerComponent } from '../../trainers/trainer-component.js';
import type { Components } from '../catalogue/components.js';
import type { Path } from '../file/yaml-document.js';
import type { DeadLetterSection } from '../options/dead-letter-options.js';
import type { FeaturizeOptions } from '../options/feature-options.js';
import { growthLimitOf } from '../options/growth-limit-of.js';
import { type ModelChoice, type ModelSection, modelChoice } from '../options/model-option.js';
import { type Chosen, chosenOf, type Named } from '../options/one-of.js';
import type { SinkOptions } from '../options/sink-options.js';
import type {
  BatchOptions,
  CheckpointOptions,
  ContributeOptions,
  EvaluateOptions,
} from '../options/stage-options.js';
import type { TagStageOptions } from '../options/tag-options.js';
import type { TokenizeStageOptions } from '../options/tokenize-options.js';
import type { TrainOptions } from '../options/train-options.js';
import type { ChosenSource } from '../sources/source-component.js';

/** A part of a plan: its checked options, and where it is written. */
export interface Part<Options> {
  /** Its path in the request, as `['stages', 3, 'optimize']` in a pipeline file; options are below it. */
  readonly path: Path;
  readonly options: Options;
}

/** Where records come from. */
export type SourcePart = ChosenSource & Pick<Part<unknown>, 'path'>;

/** What a model is made of. */
export interface FeaturesPart extends Part<FeaturizeOptions>, ModelChoice {
  /** Where the scorer, hidden states, covariance and structure are written. */
  readonly modelPath: Path;
  /** How much the model may grow on a stream; absent on a corpus, and where nothing is learned. */
  readonly limit: GrowthLimit | undefined;
}

/** How sentences become minibatches. */
export interface BatchPart extends Part<BatchOptions> {
  /** Most sentences that it holds back before the first of them is passed on. */
  readonly most: number;
}

/** The loss, with the options that are given. */
export interface LossPart extends Part<Readonly<Record<string, unknown>>> {
  readonly component: LossComponent<never>;
}

/** An online optimizer of this process. */
export interface OnlinePart extends Part<Readonly<Record<string, unknown>>> {
  readonly kind: 'online';
  readonly component: OptimizerComponent<never>;
}

/** A batch optimizer, whose sums others make where there is a cluster. */
export interface BatchTrainerPart extends Part<Readonly<Record<string, unknown>>> {
  readonly kind: 'batch';
  readonly component: TrainerComponent<never>;
  readonly cluster: ClusterOptions | undefined;
}

/** An online optimizer of many machines, whose weights are mixed after each pass or round. */
export interface ClusterPart extends Part<Readonly<Record<string, unknown>>> {
  readonly kind: 'cluster';
  readonly component: OptimizerComponent<never>;
  readonly cluster: ClusterOptions;
}

/** How weights are learned. */
export type OptimizerPart = OnlinePart | BatchTrainerPart | ClusterPart;

/** How the model is scored while it learns. */
export type EvaluationPart =
  | (Part<EvaluateOptions> & { readonly kind: 'held-out'; readonly source: ChosenSource })
  | (Part<EvaluateOptions> & { readonly kind: 'progressive' });

/** Where checkpoints go, and when. */
export interface CheckpointPart extends Part<CheckpointOptions> {
  /** The folder, by its whole path. */
  readonly directory: string;
}

/** What all plans have. */
export interface AnyPlan {
  readonly source: SourcePart;
  /** Absent: the defaults. */
  readonly tokenize: Part<TokenizeStageOptions> | undefined;
  readonly features: FeaturesPart;
  readonly batch: BatchPart;
  readonly checkpoint: CheckpointPart | undefined;
  readonly sink: Part<SinkOptions> | undefined;
  readonly deadLetters: Part<DeadLetterSection> | undefined;
}

/** What plans have that learn. */
export interface LearningPlan extends AnyPlan {
  readonly loss: LossPart;
  readonly optimizer: OptimizerPart;
  readonly evaluation: EvaluationPart | undefined;
  readonly model: undefined;
}

/** Passes over a corpus, or iterations of a batch optimizer. */
export interface TrainPlan extends LearningPlan {
  readonly kind: 'train';
  readonly train: Part<TrainOptions & { readonly epochs: number }>;
  readonly decode: undefined;
}

/** A stream that is learned from once. */
export interface LearnPlan extends LearningPlan {
  readonly kind: 'learn';
  readonly train: Part<TrainOptions & { readonly epochs?: undefined }>;
  /** Where records are tagged before they are learned from. */
  readonly decode: Part<TagStageOptions> | undefined;
}

/** Records that are tagged; nothing is learned. */
export interface TagPlan extends AnyPlan {
  readonly kind: 'tag';
  readonly decode: Part<TagStageOptions>;
  /** The model file by its whole path, or its address in a registry. */
  readonly model: string;
  readonly train: undefined;
  readonly loss: undefined;
  readonly optimizer: undefined;
  readonly evaluation: undefined;
}

/** What a run does, each part by its name; made of a pipeline file, or of a request to `train`. */
export type Plan = TrainPlan | LearnPlan | TagPlan;

/** The batch optimizer of a plan; undefined where it has none. */
export function batchOptimizer({ optimizer }: Plan): BatchTrainerPart | undefined {
  return optimizer?.kind === 'batch' ? optimizer : undefined;
}

/** What a plan is made of: the sections and stages of a pipeline file, checked one by one. */
export interface PlanSections {
  readonly catalogue: Components;
  /** Folder that relative paths start at. */
  readonly baseDirectory: string;
  readonly source: ChosenSource;
  /** In an order in which each takes what the one before it gives. */
  readonly stages: readonly Chosen<Named>[];
  readonly train: TrainOptions | undefined;
  readonly sink: SinkOptions | undefined;
  readonly deadLetters: DeadLetterSection | undefined;
  /** The file as plain data. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** The plan of a pipeline file whose stages are complete. */
export function makePlan(sections: PlanSections): Plan {
  const { catalogue, baseDirectory, source, stages, train, sink, deadLetters } = sections;
  const written = new Map(
    stages.map(({ component: { name }, options }, i) => [
      name,
      { path: ['stages', i, name] as Path, options },
    ]),
  );
  const part = <Options>(name: string) => written.get(name) as Part<Options> | undefined;
  const decode = part<TagStageOptions>('tag');
  const all: AnyPlan = {
    source: { ...source, path: ['source', source.component.name] },
    tokenize: part<TokenizeStageOptions>('tokenize'),
    features: featuresOf(part<FeaturizeOptions>('featurize')!, sections),
    batch: batchOf(part<BatchOptions>('batch')!),
    checkpoint: checkpointOf(part<CheckpointOptions>('checkpoint'), baseDirectory),
    sink: sink && { path: ['sink'], options: sink },
    deadLetters: deadLetters && { path: ['deadLetters'], options: deadLetters },
  };
  const optimize = part<Readonly<Record<string, unknown>>>('optimize');
  if (optimize === undefined) {
    const { model } = all.features.options;
    const none = { train: undefined, loss: undefined, optimizer: undefined, evaluation: undefined };
    return { kind: 'tag', ...all, ...none, decode: decode!, model: place(model!, baseDirectory) };
  }
  const learning: LearningPlan = {
    ...all,
    loss: lossOf(part<ContributeOptions>('contribute')!, catalogue),
    optimizer: optimizerOf(optimize, catalogue, train?.cluster),
    evaluation: evaluationOf(part<EvaluateOptions>('evaluate'), catalogue),
    model: undefined,
  };
  const { epochs, ...settings } = train!;
  const path: Path = ['train'];
  if (epochs === undefined) {
    return { kind: 'learn', ...learning, train: { path, options: settings }, decode };
  }
  const options = { ...settings, epochs };
  return { kind: 'train', ...learning, train: { path, options }, decode: undefined };
}

/** A whole path, or an address as it is. */
function place(model: string, baseDirectory: string): string {
  return isModelAddress(model) ? model : resolve(baseDirectory, model);
}

function featuresOf(part: Part<FeaturizeOptions>, { config, train }: PlanSections): FeaturesPart {
  const limit = growthLimitOf(part.options, train);
  return { ...part, ...modelChoice(config.model as ModelSection), modelPath: ['model'], limit };
}

function batchOf(part: Part<BatchOptions>): BatchPart {
  const { sentences, tokens } = part.options;
  // A sentence has a token at least.
  const byTokens = tokens ?? (sentences === undefined ? 1 : Number.POSITIVE_INFINITY);
  return { ...part, most: Math.min(sentences ?? Number.POSITIVE_INFINITY, byTokens) };
}

function lossOf({ path, options }: Part<ContributeOptions>, { losses }: Components): LossPart {
  const { loss, cost, missCost } = options;
  const named = typeof loss === 'string' ? { [loss]: { cost, missCost } } : loss;
  const { component, options: own } = chosenOf(losses.items, named);
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { path: [...path, 'loss'], component, options: Object.fromEntries(given) };
}

function optimizerOf(
  { path, options: named }: Part<Readonly<Record<string, unknown>>>,
  { optimizers, trainers }: Components,
  cluster: ClusterOptions | undefined,
): OptimizerPart {
  if (trainers.some(({ name }) => Object.hasOwn(named, name))) {
    return { kind: 'batch', path, ...chosenOf(trainers, named), cluster };
  }
  const chosen = chosenOf(optimizers.items, named);
  if (cluster === undefined) return { kind: 'online', path, ...chosen };
  return { kind: 'cluster', path, ...chosen, cluster };
}

function evaluationOf(
  part: Part<EvaluateOptions> | undefined,
  { sources }: Components,
): EvaluationPart | undefined {
  if (part === undefined) return undefined;
  const { on } = part.options;
  if (on === undefined) return { kind: 'progressive', ...part };
  return { kind: 'held-out', ...part, source: chosenOf(sources.items, on) };
}

function checkpointOf(
  part: Part<CheckpointOptions> | undefined,
  baseDirectory: string,
): CheckpointPart | undefined {
  return part && { ...part, directory: resolve(baseDirectory, part.options.dir) };
}
