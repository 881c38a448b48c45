import { resolve } from 'node:path';
import type * as z from 'zod';
import { type ErrorPlace, TagstreamError } from '../../../engine/core/errors.js';
import type { PluginStage } from '../../../engine/interfaces/loaded-plugin.js';
import { isModelAddress } from '../../../engine/interfaces/model-address.js';
import { defaultGrowthLimit, type GrowthLimit } from '../../../engine/models/growth-limit.js';
import { parseAbbreviations } from '../../../engine/text/sentences/abbreviations.js';
import { readText } from '../../../formats/reading/read-text.js';
import type { Components } from '../catalogue/components.js';
import type { Path } from '../file/yaml-document.js';
import type { ColumnsOptions } from '../options/column-options.js';
import type { DeadLetterSection } from '../options/dead-letter-options.js';
import type { DeployOptions } from '../options/deploy-options.js';
import { type FeaturizeOptions, modelFilesOf } from '../options/feature-options.js';
import { type ModelSection, modelChoice } from '../options/model-option.js';
import { type Chosen, chosenOf, type Named } from '../options/one-of.js';
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
import {
  namedTokenizerFile,
  type TokenizeStageOptions,
  type tokenizeOptions,
} from '../options/tokenize-options.js';
import type { TrainOptions } from '../options/train-options.js';
import type { ChosenSource } from '../sources/source-component.js';
import {
  type AddedPart,
  type AnyPlan,
  type ChallengePart,
  type CheckpointPart,
  chooseBatch,
  chooseLoss,
  chooseOptimizer,
  type EvaluationPart,
  type FeaturesPart,
  type JoinPart,
  type LearningPlan,
  type LossPart,
  type Part,
  type Plan,
} from './plan.js';

/** The properties of a stage that plans need. */
export interface NamedStage extends Named {
  readonly plugin?: PluginStage | undefined;
}

/** The source of a plan: the sections and stages of a pipeline file, checked one by one. */
export interface PlanSections {
  readonly catalogue: Components;
  /** Returns the position of a part in the file. */
  place(path: Path): ErrorPlace;
  /** Base folder of relative paths. */
  readonly baseDirectory: string;
  readonly source: ChosenSource;
  /** Stages in an order in which each accepts the output of the previous one. */
  readonly stages: readonly Chosen<NamedStage>[];
  /** Names of the stages written without options. */
  readonly bare: readonly string[];
  readonly train: TrainOptions | undefined;
  readonly sink: SinkOptions | undefined;
  readonly deadLetters: DeadLetterSection | undefined;
  readonly challenge: ChallengePart | undefined;
  readonly columns: ColumnsOptions | undefined;
  /** The alias of a registry to which models are deployed. */
  readonly deploy: DeployOptions | undefined;
  /** The file as plain data. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Returns the plan of a pipeline file whose stages are complete. */
export function makePlan(sections: PlanSections): Plan {
  const { catalogue, baseDirectory, source, stages, train, sink, deadLetters, challenge, columns } =
    sections;
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
    join: joinOf(part<JoinOptions>('join'), catalogue),
    tokenize: tokenizeOf(part<z.output<typeof tokenizeOptions>>('tokenize'), sections),
    features: featuresOf(part<FeaturizeOptions>('featurize')!, sections),
    batch: chooseBatch(part<BatchOptions>('batch')!),
    replay: part<ReplayOptions>('replay'),
    ask: part<AskOptions>('ask'),
    checkpoint: checkpointOf(part<CheckpointOptions>('checkpoint'), baseDirectory),
    added: addedStages(stages),
    sink: sink && { path: ['sink'], options: sink },
    deadLetters: deadLetters && { path: ['deadLetters'], options: deadLetters },
  };
  const optimize = part<Readonly<Record<string, unknown>>>('optimize');
  if (optimize === undefined) {
    const [first, ...further] = modelFilesOf(all.features.options).map(each => ({
      ...each,
      file: place(each.file, baseDirectory),
    }));
    const { file: model, column } = first!;
    const none = {
      ...{ train: undefined, loss: undefined, optimizer: undefined },
      ...{ evaluation: undefined, deploy: undefined },
    };
    const tokenize = sections.bare.includes('tokenize') ? undefined : all.tokenize;
    const tagged = { ...all, ...none, tokenize, model, column, further };
    return { kind: 'tag', ...tagged, decode: decode! };
  }
  const learning: LearningPlan = {
    ...all,
    loss: lossOf(part<ContributeOptions>('contribute')!, catalogue),
    optimizer: chooseOptimizer(
      optimize,
      catalogue.optimizers.items,
      catalogue.trainers,
      train?.cluster,
    ),
    evaluation: evaluationOf(part<EvaluateOptions>('evaluate'), catalogue),
    model: undefined,
    columns: columns && { path: ['columns'], options: columns },
  };
  const { epochs, ...settings } = train!;
  const path: Path = ['train'];
  if (epochs === undefined) {
    const { deploy } = sections;
    const settled = { path, options: settings };
    return { kind: 'learn', ...learning, train: settled, decode, challenge, deploy };
  }
  const options = { ...settings, epochs };
  return {
    kind: 'train',
    ...learning,
    train: { path, options },
    decode: undefined,
    deploy: undefined,
  };
}

function addedStages(stages: PlanSections['stages']): AddedPart[] {
  const names = stages.map(({ component }) => component.name);
  return stages.flatMap(({ component: { name, plugin }, options }, i) =>
    plugin === undefined
      ? []
      : [{ path: ['stages', i, name], options, component: plugin, after: names.slice(0, i) }],
  );
}

/** Returns the tokenization options with the abbreviations from their file, as in models. */
function tokenizeOf(
  part: Part<z.output<typeof tokenizeOptions>> | undefined,
  { baseDirectory, place }: PlanSections,
): Part<TokenizeStageOptions> | undefined {
  if (part === undefined) return undefined;
  const { abbreviations, ...rest } = part.options;
  const options = namedTokenizerFile(rest, file => resolve(baseDirectory, file));
  if (abbreviations === undefined) return { ...part, options };
  if (typeof abbreviations !== 'string') {
    return { ...part, options: { ...options, abbreviations } };
  }
  const file = resolve(baseDirectory, abbreviations);
  try {
    const list = parseAbbreviations(readText(file), file);
    return { ...part, options: { ...options, abbreviations: list } };
  } catch (cause) {
    // Errors in the abbreviation file have their own line.
    if (!(cause instanceof TagstreamError) || cause.place.line !== undefined) throw cause;
    const { code, problem, fix } = cause;
    const where = place([...part.path, 'abbreviations']);
    throw new TagstreamError(code, problem, { place: where, ...(fix && { fix }), cause });
  }
}

/** Returns an absolute path, or an address unchanged. */
function place(model: string, baseDirectory: string): string {
  return isModelAddress(model) ? model : resolve(baseDirectory, model);
}

function featuresOf(part: Part<FeaturizeOptions>, { config, train }: PlanSections): FeaturesPart {
  const limit = growthLimitOf(part.options, train);
  return { ...part, ...modelChoice(config.model as ModelSection), modelPath: ['model'], limit };
}

function lossOf({ path, options }: Part<ContributeOptions>, { losses }: Components): LossPart {
  return chooseLoss({ path: [...path, 'loss'], options }, losses.items);
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

function joinOf(
  part: Part<JoinOptions> | undefined,
  { sources }: Components,
): JoinPart | undefined {
  const labels = part?.options.labels;
  return part && { ...part, labels: labels && chosenOf(sources.items, labels) };
}

function checkpointOf(
  part: Part<CheckpointOptions> | undefined,
  baseDirectory: string,
): CheckpointPart | undefined {
  return part && { ...part, directory: resolve(baseDirectory, part.options.dir) };
}

/** The options of `featurize` that limit growth. */
export interface GrowthOptions {
  readonly maxFeatures?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/**
 * Returns how much a model may grow: on a stream, the limit set in `featurize`, or the default; undefined for a corpus
 * read as a whole, which is finite.
 *
 * @example
 * growthLimitOf({ maxFeatures: 1000 }, { corpusSize: 100 }).features // => 1000
 * growthLimitOf({}, { epochs: 3 }) // => undefined
 */
export function growthLimitOf(
  { maxFeatures, maxBytes }: GrowthOptions,
  train: Pick<TrainOptions, 'epochs'> | undefined,
): GrowthLimit | undefined {
  if (train === undefined || train.epochs !== undefined) return undefined;
  return {
    features: maxFeatures ?? defaultGrowthLimit.features,
    bytes: maxBytes ?? defaultGrowthLimit.bytes,
  };
}
