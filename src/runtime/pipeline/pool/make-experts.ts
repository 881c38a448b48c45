import { TagstreamError } from '../../../engine/core/errors.js';
import { Random } from '../../../engine/core/random.js';
import type { Sentence } from '../../../engine/core/sentence/sentence.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { presetTemplates } from '../../../engine/features/presets/preset-templates.js';
import type { ParameterStore } from '../../../engine/kernels/store/parameter-store.js';
import { readInspected } from '../../../engine/models/inspection/read-inspected.js';
import { kernels } from '../../../engine/models/kernels.js';
import { bioesOf, type LabelSet } from '../../../engine/models/labels/label-set.js';
import { typeOf } from '../../../engine/text/tags/chunk-boundaries.js';
import { detectScheme } from '../../../engine/text/tags/detect-scheme.js';
import { unkeptRecords } from '../definition/dead-letters.js';
import {
  changePipeline,
  type LearningPipeline,
  learns,
  type Pipeline,
  stagesWith,
  stagesWithout,
} from '../definition/pipeline.js';
import { canReadAgain } from '../definition/places.js';
import { PipelinePaths } from '../definition/run-context.js';
import { runOfFold } from '../run/folds/cross-validate.js';
import { observedRun } from '../run/run-pipeline.js';
import { readSentences } from '../setup/read-sentences.js';
import type { RunOptions } from '../setup/run-options.js';
import type { ChosenSource } from '../sources/source-component.js';
import { modelTokenizer } from '../stages/chosen-tokenizer.js';
import { listTokenizer } from '../stages/tokenizer-file.js';
import type { PoolExpert } from './pooled-models.js';

/** The ways in which the experts of a pool differ. */
export const expertKinds = ['features', 'data', 'labels'] as const;

export type ExpertKind = (typeof expertKinds)[number];

/** The options of making experts. */
export interface MakeExpertsOptions extends Pick<RunOptions, 'signal' | 'events'> {
  /** Number of experts, 2 or more. */
  readonly count: number;
  /**
   * features: each expert has a random half of the templates; data: a part of the records; labels: weights for a part
   * of the labels, and for transitions from and to them. Otherwise each expert has all templates, all labels, and all
   * records that are not held out.
   */
  readonly by: ExpertKind;
  /** Seed for drawing the templates, or for assigning the records or labels. */
  readonly seed: number;
  /** Called before each expert is trained, with its number, from 1, and a description of its part. */
  readonly onExpert?: ((number: number, has: string) => void) | undefined;
}

/** Experts, and the records that none of them has seen. */
export interface MadeExperts {
  readonly experts: readonly PoolExpert[];
  readonly heldOut: readonly Sentence[];
}

/** Number of folds of the records, the first of which is held out, unless experts differ by data. */
const heldOutFolds = 10;

/**
 * Trains the experts of a pool with a pipeline, which writes no model: the first and third choice in Gupta, Conditional
 * Random Fields, section 2.6.2, and parts of the data as in bagging. With `labels`, an expert's score is 0 for every
 * label outside its part, so that it distinguishes the labels of its part from each other and from the rest. One record
 * of ten is held out for the weights, or, for K parts of the data, one of K + 1. The same seed gives the same experts.
 * Costs K trainings.
 *
 * @returns the experts; undefined if training was stopped
 * @throws (rejects with) TagstreamError `config` for a pipeline that makes no passes over files, or has no templates to
 * draw from, or has fewer label types than experts; and errors of training
 */
export async function makeExperts(
  pipeline: Pipeline,
  { count, by, seed, onExpert, ...run }: MakeExpertsOptions,
): Promise<MadeExperts | undefined> {
  requirePasses(pipeline);
  const of = by === 'data' ? count + 1 : heldOutFolds;
  const folds = { of, seed, run: await runOfFold(pipeline, of) };
  const part = (which: object): ChosenSource => ({
    ...pipeline.source,
    options: { ...pipeline.source.options, folds: { ...folds, ...which } },
  });
  const drawn = by === 'features' ? drawTemplates(templateLines(pipeline), count, seed) : undefined;
  const tags = by === 'features' ? [] : await tagsOf(part({ except: 0 }), pipeline);
  const dealt = by === 'labels' ? dealLabels(tags.flat(), count, seed) : undefined;
  const hasAll = pipeline.plan.features.options.support !== 'observed';
  const experts: PoolExpert[] = [];
  for (let k = 0; k < count; k += 1) {
    const own = dealt?.[k];
    const ofData =
      drawn === undefined ? `part ${k + 1} of ${of}` : counted(drawn[k]!.length, 'template');
    const has = own === undefined ? ofData : `labels ${shortened(own)}`;
    onExpert?.(k + 1, has);
    const all = stagesWithout(pipeline, ['checkpoint', 'evaluate']);
    const halved = drawn && { templates: drawn[k], preset: undefined };
    const changed = own === undefined ? halved : { support: 'observed' };
    const stages = changed === undefined ? all : stagesWith(all, ['featurize'], changed);
    const ownPipeline = changePipeline(pipeline, {
      ...{ stages, model: undefined, deploy: undefined, test: undefined, checks: undefined },
      source: part(by === 'data' ? { take: k + 1 } : { except: 0 }),
    });
    let bytes: Uint8Array | undefined;
    const options: RunOptions = {
      ...run,
      deadLetters: unkeptRecords(pipeline),
      onModel: written => {
        bytes = written;
      },
    };
    const result = await observedRun(ownPipeline, options, {
      observer: {
        onTrainee: ({ model: { labels, parameters } }) => {
          internAll(labels, tags);
          if (own === undefined) return;
          parameters.labelPart = Uint8Array.from(labels.names, label => +own.includes(label));
        },
        onSettled: (_, { parameters }) => {
          if (own !== undefined && hasAll) observeAll(parameters);
        },
      },
    });
    if (result.stopped || bytes === undefined) return undefined;
    const source = `expert ${k + 1}: ${has}`;
    const { functions } = pipeline.catalogue;
    experts.push({ source, ...readInspected(bytes, source, kernels.simd64, functions) });
  }
  const reading = {
    paths: new PipelinePaths(pipeline),
    tokenizer: modelTokenizer(experts[0]!.model),
  };
  const heldOut = await readSentences(part({ take: 0 }), reading, unkeptRecords(pipeline));
  return { experts, heldOut };
}

/**
 * Returns the tags of each sentence of a source: a part of the records may lack some labels, which the pool's experts
 * must share.
 */
async function tagsOf(source: ChosenSource, pipeline: LearningPipeline): Promise<string[][]> {
  const tokenizer = listTokenizer(pipeline.plan.tokenize?.options);
  const reading = { paths: new PipelinePaths(pipeline), tokenizer };
  const sentences = await readSentences(source, reading, unkeptRecords(pipeline));
  return sentences.flatMap(({ tags }) => (tags === undefined ? [] : [[...tags]]));
}

function internAll(labels: LabelSet, sentences: readonly (readonly string[])[]): void {
  for (const tags of sentences) {
    for (const label of labels.encode === undefined ? tags : bioesOf(tags)) labels.intern(label);
  }
}

function shortened(labels: readonly string[]): string {
  const most = 6;
  const more = labels.length > most ? ` and ${labels.length - most} more` : '';
  return labels.slice(0, most).join(', ') + more;
}

/** Gives each feature a weight for each label and transition of the part. */
function observeAll(parameters: ParameterStore): void {
  const { labels, stateRows, edgeRows } = parameters;
  for (let y = 0; y < labels; y += 1) {
    for (let row = 0; row < stateRows; row += 1) parameters.observeState(row, y);
    for (let row = 0; row < edgeRows; row += 1) {
      for (let from = 0; from < labels; from += 1) parameters.observeEdge(row, from, y);
    }
  }
  parameters.fitPairs();
}

/**
 * Splits labels into random parts, whose numbers of types differ by at most one: span labels go to the part of their
 * type; `O` and other labels are types of their own.
 *
 * @throws TagstreamError `config` if there are fewer types than parts
 */
export function dealLabels(labels: Iterable<string>, count: number, seed: number): string[][] {
  const all = [...new Set(labels)].sort();
  const isPlain = detectScheme(all) === 'none';
  const kindOf = (label: string) => (isPlain || label === 'O' ? label : typeOf(label));
  const types = [...new Set(all.map(kindOf))];
  if (types.length < count) {
    const experts = counted(count, 'expert');
    throw new TagstreamError('config', `${experts} but ${counted(types.length, 'label type')}`, {
      fix: 'make fewer experts, or make them by features or data',
    });
  }
  const order = new Random(seed).shuffle(Uint32Array.from(types.keys()));
  const partOf = new Map(Array.from(order, (type, i) => [types[type]!, i % count]));
  return Array.from({ length: count }, (_, k) =>
    all.filter(label => partOf.get(kindOf(label)) === k),
  );
}

function requirePasses(pipeline: Pipeline): asserts pipeline is LearningPipeline {
  const refuse = (problem: string, fix: string) => {
    throw new TagstreamError('config', problem, { place: { source: pipeline.file }, fix });
  };
  if (!learns(pipeline))
    refuse('the pipeline does not train a model', 'add contribute and optimize');
  if (pipeline.train?.epochs === undefined) {
    refuse('experts need passes over a corpus', 'set train.epochs');
  }
  if (pipeline.source.options.folds !== undefined) {
    refuse('the source is already a fold', 'leave folds out of the source');
  }
  if (!canReadAgain(pipeline)) {
    refuse('each expert reads the source again', 'use a source with files');
  }
}

/** Returns the templates that a pipeline names, starting with those of its preset. */
function templateLines({ plan, file, baseDirectory, source }: LearningPipeline): string[] {
  const { preset, templates, conjunctions } = plan.features.options;
  if (conjunctions !== undefined && conjunctions !== false) {
    throw new TagstreamError('config', 'experts by features cannot be combined with conjunctions', {
      place: { source: file },
      fix: 'leave conjunctions out: they combine all templates',
    });
  }
  const paths = new PipelinePaths({ baseDirectory });
  const own =
    typeof templates === 'string'
      ? new TextDecoder().decode(paths.read(templates))
      : (templates ?? []).join('\n');
  const columns = source.component.columns(source.options);
  const text = preset === undefined ? own : `${presetTemplates(preset, columns)}\n${own}`;
  return text.split(/\r?\n/).filter(line => !/^\s*(?:#|$)/.test(line));
}

/**
 * Draws random halves of the templates: each token template is in each half with probability 1/2, and in at least one
 * of them; each half has at least one. Every half contains all transition templates.
 *
 * @throws TagstreamError `config` if there are fewer than two token templates
 */
export function drawTemplates(lines: readonly string[], count: number, seed: number): string[][] {
  const random = new Random(seed);
  const isOfTokens = (line: string) => !/^\s*B/.test(line);
  const tokens = lines.filter(isOfTokens);
  if (tokens.length < 2) {
    throw new TagstreamError('config', 'experts by features need two templates or more', {
      fix: 'add templates, or make experts by data',
    });
  }
  const halves = Array.from({ length: count }, () => new Set<string>());
  for (const line of tokens) {
    for (const half of halves) if (random.below(2) === 1) half.add(line);
    if (halves.every(half => !half.has(line))) halves[random.below(count)]!.add(line);
  }
  for (const half of halves) if (half.size === 0) half.add(tokens[random.below(tokens.length)]!);
  return halves.map(half => lines.filter(line => !isOfTokens(line) || half.has(line)));
}
