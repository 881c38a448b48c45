import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TagstreamError } from '../../../../src/engine/core/errors.js';
import { Random } from '../../../../src/engine/core/random.js';
import { builtIn } from '../../../../src/runtime/pipeline/loading/catalogue.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { modelOption } from '../../../../src/runtime/pipeline/options/model-option.js';
import {
  graphShape,
  segmentShape,
} from '../../../../src/runtime/pipeline/options/structure-options.js';
import { trainOptions } from '../../../../src/runtime/pipeline/options/train-options.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { itsPackage } from '../../plugins/installed.js';
import { type Hints, OptionDrawer } from './drawn-options.js';

/** A pipeline that may be refused. */
export interface DrawnPipeline {
  readonly parts: PipelineParts;
  /** The options in it. */
  readonly options: readonly string[];
}

const lists = {
  gazetteers: { names: 'names.txt' },
  clusters: { brown: 'brown.txt' },
  vectors: { v: 'vectors.txt' },
};

/** Values for options that mean something beyond their type. */
const hints: Hints = {
  'featurize.templates': [
    ['U0:%x[0,0]', 'B'],
    ['U0:%x[0,0]'],
    ['U0:%x[0,0]', 'U1:%x[-1,0]/%x[0,0]', 'B', 'B1:%x[0,0]'],
    ['U0:%x[0,0]', 'U1:%x[0,1]', 'U2:%suffix[0,0,2]', 'B', 'B1:%x[0,1]'],
    ['U0:%x[0,0]', 'U1:%v[0,2]', 'B'],
    ['U0:%v[0,2]', 'B'],
    ['U0:%x[0,0]', 'U1:%seen[0,0]', 'B'],
    ['U0:%x[0,0]', 'U1:%gazetteer[0,0,names]', 'U2:%cluster[0,0,brown,2]', 'B'],
    ['U0:%x[0,0]', 'U1:%vector[0,0,v]', 'B'],
    ['U0:%x[0,0]', 'U1:%vowels[0,0]/%bucket[-1,0,2]', 'B'],
  ],
  'featurize.columns': [['form', 'pos', 'n']],
  'featurize.gazetteers': [lists.gazetteers, { names: { file: 'names.txt', fold: true } }],
  'featurize.clusters': [lists.clusters, { brown: { file: 'brown.txt', bits: 'none' } }],
  'featurize.vectors': [lists.vectors, { v: { file: 'vectors.txt', fold: true, words: 2 } }],
  'featurize.from': ['first.model', 'first.yaml'],
  'hashed.rows': [1, 7, 64],
  'hashed.edgeRows': [1, 8],
  'unlabelled.labels': [['O'], ['O', 'B-PER', 'Z']],
  'model.layers': ['|'],
  'model.parts': ['|', '-'],
  'model.segmentFeatures': [['length', 'lower'], ['text:pos', 'first'], ['gazetteer:names']],
  'model.linkFeatures': [['lower'], ['shape:pos', 'distance']],
  'links.column': ['form', 'pos'],
  'tokenize.pattern': ['\\w+|\\S'],
  'tokenize.locale': ['en', 'nl'],
  'train.start': ['first.model'],
  'train.epochs': [1, 2, 3],
  'switch.epochs': [1, 2],
};

/** Few sentences with columns, names and numbers; of some tags, or of tags of two layers. */
function records(random: Random, layers: boolean, count: number): string {
  const words = ['Anna', 'Oslo', 'Rome', 'runs', 'in', 'the', 'Bo', 'sees'];
  const lines = Array.from({ length: count }, (_, d) => {
    const picks = Array.from({ length: 1 + random.below(6) }, () => random.below(words.length));
    const tags = picks.map((pick, t) => {
      if (pick === 0 || pick === 6) return picks[t - 1] === 0 ? 'I-PER' : 'B-PER';
      return pick < 3 ? 'B-LOC' : 'O';
    });
    const pos = picks.map(pick => (pick < 3 || pick === 6 ? 'N' : 'X'));
    return JSON.stringify({
      document: String(d >> 1),
      tokens: picks.map(pick => words[pick]),
      columns: { pos, n: picks.map((pick, t) => pick / 4 + t) },
      tags: layers ? tags.map((tag, t) => `${pos[t]}|${tag}`) : tags,
      ...(picks.length > 2 ? { links: [[0, 2, 's']] } : {}),
    });
  });
  return `${lines.join('\n')}\n`;
}

/** Options of structures other than a chain. */
const ofStructures = ['structure', ...Object.keys(segmentShape), ...Object.keys(graphShape)];

const { stages } = builtIn;
const optionsOf = (name: string) => stages.find(stage => stage.name === name)!.options;
const modelOptions = modelOption._zod.def.options[1]!;

/** Pipelines whose options are drawn from the schema of pipeline files, with small data in a folder. */
export class DrawnPipelines {
  readonly #folder: string;
  readonly #drawer: OptionDrawer;
  readonly #seen = new Set<string>();

  constructor(folder: string, seed: number) {
    this.#folder = folder;
    this.#drawer = new OptionDrawer(new Random(seed), hints);
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const random = new Random(1);
    for (const [name, count] of [
      ['other', 12],
      ['train', 12],
      ['test', 8],
    ] as const) {
      write(`${name}.ndjson`, records(random, false, count));
      write(`${name}-pairs.ndjson`, records(random, true, count));
    }
    write('names.txt', 'Oslo\nRome the\nAnna\n');
    write('brown.txt', '000\tAnna\t3\n001\tBo\t2\n01\tOslo\t2\n10\truns\t1\n11\tthe\t1\n');
    write('vectors.txt', '4 2\nAnna 1 0\nOslo 0 1\nBo 1 0.5\nthe -1 0\n');
    write('first.yaml', JSON.stringify(pipelineOf({ source: 'other', model: 'first.model' })));
  }

  /** Trains the first model that others look at. */
  async prepare(): Promise<void> {
    const first = pipelineOf({ source: 'other', model: 'first.model' });
    await runPipeline(parsePipeline(JSON.stringify(first), join(this.#folder, 'first.yaml')));
  }

  /** All options that were drawn so far. */
  seen(): string[] {
    return [...this.#seen].sort();
  }

  next(): DrawnPipeline {
    const drawer = this.#drawer;
    drawer.drawn = [];
    const few = { share: 0.06 };
    const model = drawer.object(modelOptions, 'model', { share: 0.1, without: ['file'] });
    const featurize = drawer.object(optionsOf('featurize'), 'featurize', {
      ...few,
      without: ['model', 'templates', 'preset'],
    });
    const kind = drawer.chance(0.1) ? 'preset' : 'templates';
    const { shape } = optionsOf('featurize')._zod.def as unknown as {
      shape: Record<string, never>;
    };
    featurize[kind] = drawer.value(shape[kind]!, `featurize.${kind}`);
    featurize.columns ??= ['form', 'pos', 'n'];
    for (const [kind, list] of Object.entries(lists)) {
      const macro = `%${kind.slice(0, -1)}[`;
      if (JSON.stringify(featurize.templates)?.includes(macro)) featurize[kind] ??= list;
    }
    const train = drawer.object(trainOptions, 'train', {
      ...few,
      // Margins are in models of few losses, which yaml-and-code.test.ts trains.
      without: ['cluster', 'workers', 'mode', 'epochs', 'margins'],
    });
    if (train.corpusSize === undefined) train.epochs = drawer.pick([1, 2, 3]);
    const parts: PipelineParts = {
      ...{ model, featurize, train },
      tokenize: drawer.object(optionsOf('tokenize'), 'tokenize', few),
      contribute: drawer.chance(0.5)
        ? drawer.object(optionsOf('contribute'), 'contribute', { share: 0.5 })
        : {},
      optimize: drawer.chance(0.7)
        ? drawer.object(optionsOf('optimize'), 'optimize', { share: 0.2 })
        : { sgd: {} },
    };
    for (const option of drawer.drawn) this.#seen.add(option);
    return { parts, options: [...drawer.drawn] };
  }

  /** The pipeline file of some parts, as YAML. */
  textOf({ model, ...parts }: PipelineParts): string {
    const pairs = model.layers === undefined ? '' : '-pairs';
    return JSON.stringify(
      pipelineOf({
        ...{ source: `train${pairs}`, test: `test${pairs}` },
        ...{ ...parts, model: { ...model, file: 'drawn.model' } },
      }),
    );
  }
}

/**
 * Does what an error asks for; false where it does not say, or the pipeline does not have to be another.
 *
 * @param parts are changed
 */
export function repair(parts: PipelineParts, { problem, fix = '' }: TagstreamError): boolean {
  const { model, featurize, train, contribute } = parts;
  const { codes } = model as { codes?: Record<string, unknown> };
  const loss = /use (?:the loss|one of the losses) ([\w-]+)/.exec(fix)?.[1];
  const scorer = /model: \{ scorer: ([\w-]+)|^use the scorer ([\w-]+)/.exec(fix);
  const structure = /need structure: (\w+)/.exec(problem)?.[1];
  const optimizer = /(?:optimize: \{|use the optimizer) ([\w-]+)/.exec(fix)?.[1];
  const named = /\.(?:featurize\.|optimize\.[\w-]+\.)?(\w+):/.exec(problem)?.[1];
  const out = /leave (?!one)(?:the template )?(\w+) (?:or [\w.]+ )?out/.exec(fix)?.[1];
  const without = out === 'it' ? named : out;
  if (structure !== undefined) model.structure = structure;
  else if (problem.includes('options of softmax-margin')) contribute.loss = 'softmax-margin';
  else if (problem.includes('keep or least')) featurize.mutualInformation = { keep: 9 };
  else if (problem.includes('below or keep')) train.threshold = { keep: 9 };
  else if (problem.includes('bits are required for a random')) {
    if (codes!.kind === 'random' || codes!.kind === 'chosen') codes!.bits = 9;
    else delete codes!.bits;
  } else if (problem.includes('applies only to a random')) {
    delete codes!.distance;
    if (codes!.kind !== 'chosen') delete codes!.seed;
  } else if (problem.includes('apply only to a chosen code')) delete codes!.confusions;
  else if (loss !== undefined && model.scorer === 'hmm' && loss !== 'joint') {
    parts.optimize = { counts: {} };
    parts.contribute = { loss: 'joint' };
  } else if (loss !== undefined) parts.contribute = { loss };
  else if (scorer !== null && scorer[1] !== 'linear') model.scorer = scorer[1] ?? scorer[2];
  else if (optimizer !== undefined) parts.optimize = { [optimizer]: {} };
  else if (fix.includes('support: observed')) featurize.support = 'observed';
  else if (fix.includes('support: all')) featurize.support = 'all';
  else if (/train\.epochs or|train\.epochs: it|train: \{ epochs|in passes/.test(fix)) {
    delete train.corpusSize;
    train.epochs = 2;
  } else if (/on a stream|from a stream/.test(problem)) {
    delete train.epochs;
    train.corpusSize = 20;
  } else if (fix.includes('structure: chain')) {
    for (const name of ofStructures) delete model[name];
  } else if (without === 'B' || problem.includes('makes no table')) {
    featurize.templates = ['U0:%x[0,0]'];
  } else if (without !== undefined) {
    const holders = [model, featurize, train, contribute].filter(part => without in part);
    for (const holder of holders) delete holder[without];
    return holders.length > 0;
  } else return false;
  return true;
}

/** The parts of a pipeline that are drawn. */
export interface PipelineParts {
  readonly model: Record<string, unknown>;
  readonly featurize: Record<string, unknown>;
  readonly train: Record<string, unknown>;
  readonly tokenize: Record<string, unknown>;
  contribute: Record<string, unknown>;
  optimize: Record<string, unknown>;
}

function pipelineOf({
  source,
  test,
  featurize = { templates: ['U0:%x[0,0]', 'B'], columns: ['form', 'pos', 'n'] },
  tokenize = {},
  contribute = {},
  optimize = { sgd: {} },
  train = { epochs: 2 },
  model,
}: Partial<Omit<PipelineParts, 'model'>> & {
  readonly source: string;
  readonly test?: string;
  readonly model: unknown;
}): Record<string, unknown> {
  return {
    version: 1,
    name: 'drawn',
    ...(JSON.stringify(featurize).includes('%vowels') ? { use: [itsPackage] } : {}),
    source: ndjson(source),
    stages: [
      { tokenize },
      { featurize },
      { batch: { sentences: 4 } },
      { contribute },
      { optimize },
    ],
    train,
    model,
    ...(test === undefined ? {} : { test: ndjson(test) }),
  };
}

function ndjson(name: string): object {
  return { ndjson: { files: [`${name}.ndjson`] } };
}
