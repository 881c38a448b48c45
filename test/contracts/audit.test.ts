import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scorers } from '../../src/engine/inference/scorers/scorers.js';
import type { Loss } from '../../src/engine/losses/loss.js';
import { fitsScorer, losses } from '../../src/engine/losses/losses.js';
import { optimizers } from '../../src/engine/optimizers/optimizers.js';
import { treeBoosting } from '../../src/engine/trainers/boosting/trees/tree-boosting.js';
import { supportVectors } from '../../src/engine/trainers/margin/support-vectors.js';
import * as lossEntry from '../../src/entries/losses.js';
import * as optimizerEntry from '../../src/entries/optimizers.js';
import { sources } from '../../src/runtime/pipeline/catalogue/sources.js';
import { trainers } from '../../src/runtime/pipeline/catalogue/trainers.js';
import { parsePipeline } from '../../src/runtime/pipeline/loading/load-pipeline.js';
import { stages } from '../../src/runtime/pipeline/stages/stages.js';
import * as library from '../house/entries/library.js';

/** Options that have no default, by the optimizer. */
const needed: Readonly<Record<string, object>> = {
  path: { l1: [1] },
  switch: { first: optimizerEntry.sgd(), next: optimizerEntry.lbfgs() },
};

const source = resolve(import.meta.dirname, '../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .sort();

type Named = { readonly name: string };

interface Export {
  /** Name in the file that defines it. */
  readonly name: string;
  readonly file: string;
  readonly kind: 'value' | 'type';
}

const entries = ['index.ts', ...files.filter(name => /^entries\/\w+\.ts$/.test(name))];
const exportsOf = (file: string) => readFileSync(join(source, file), 'utf8');

/** What the entries export, and the files that it comes from. */
const named = [
  ...entries
    .map(exportsOf)
    .join('')
    .matchAll(/export (type )?\{([^}]*)\} from '\.\.?\/(.*)\.js';/g),
].flatMap(([, type, names, file]) =>
  names!
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
    .map(name => ({
      name: name.split(' as ')[0]!,
      file: `${file}.ts`,
      kind: type === undefined ? ('value' as const) : ('type' as const),
    })),
);
/** Each once, whatever entries have it. */
const exported: readonly Export[] = [
  ...new Map(named.map(each => [`${each.kind} ${each.file} ${each.name}`, each])).values(),
];

/** The docstring that stands right before the definition of an export. */
function docstringOf({ name, file }: Export): string | undefined {
  const text = readFileSync(join(source, file), 'utf8');
  const definition = `export (?:async |abstract )*(?:class|function\\*?|const|interface|type) ${name}\\b`;
  const found = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s*${definition}`).exec(text);
  return found?.[1]?.replace(/^\s*\* ?/gm, '').trim();
}

describe('the public interface', () => {
  it('is found whole', () => {
    for (const text of entries.map(exportsOf)) {
      // The program of a thread exports nothing.
      const passedOn = /^export (?:type )?(?:\{[^}]*\}|\*) from '\.\.?\/.*\.js';$/gm;
      expect(text.match(/^export /gm)?.length).toBe(text.match(passedOn)?.length);
    }
    const values = exported.filter(({ kind }) => kind === 'value');
    expect(values).toHaveLength(Object.keys(library).length);
    expect(values.length).toBeGreaterThan(50);
  });

  it.each(exported)('has a docstring for $name', item => {
    const docstring = docstringOf(item);
    expect(docstring).toMatch(/^[A-Z`'*:=\-+\w]/);
    // One line that says what it is, and ends as a sentence does.
    expect(docstring!.split(/\n\n|\n@/)[0]).toMatch(/[.:]$/);
  });
});

/** Values that the modules of a folder export, and that `is` takes for units of its kind. */
async function unitsIn(folder: string, is: (value: object) => boolean): Promise<object[]> {
  const modules = files.filter(file => file.startsWith(`${folder}/`));
  const found = new Set<object>();
  for (const file of modules) {
    // Units that are made alike are exported together.
    const values = Object.values((await import(join(source, file))) as object).flat();
    for (const value of values) {
      if (typeof value === 'object' && value !== null && is(value)) found.add(value);
    }
  }
  return [...found];
}

const has =
  (...keys: readonly string[]) =>
  (value: object) =>
    keys.every(key => key in value);

/** Stages, and those that are made with what they can name, as they stand in the catalogue. */
async function stageUnits(): Promise<object[]> {
  const made = files
    .filter(file => file.startsWith('runtime/pipeline/stages/'))
    .flatMap(file => [
      ...readFileSync(join(source, file), 'utf8').matchAll(/^export function (\w+)Stage\(/gm),
    ])
    .map(([, name]) => stages.find(stage => stage.name === name)!);
  return [...(await unitsIn('runtime/pipeline/stages', has('name', 'takes', 'gives'))), ...made];
}

/** Sources, and those that are made of a codec, as they stand in the catalogue. */
async function sourceUnits(): Promise<object[]> {
  const codecs = await unitsIn('formats/codecs', has('name', 'records', 'create'));
  const made = codecs.map(codec => sources.find(({ name }) => name === (codec as Named).name)!);
  return [
    ...(await unitsIn('runtime/pipeline/catalogue', has('name', 'codec', 'columns'))),
    ...made,
  ];
}

const catalogues = [
  {
    kind: 'optimizer',
    entries: optimizers as readonly { name: string; summary: string; example: string }[],
    units: () => unitsIn('engine/optimizers', has('name', 'options', 'create')),
    example: /^optimize: \{/,
  },
  {
    kind: 'loss',
    entries: losses,
    units: () => unitsIn('engine/losses', has('name', 'predicts', 'apply')),
    example: /^contribute: \{/,
  },
  {
    kind: 'scorer',
    entries: scorers,
    units: () => unitsIn('engine/inference/scorers', has('name', 'capabilities')),
    example: /^model: \{ scorer: /,
  },
  {
    kind: 'stage',
    entries: stages,
    units: stageUnits,
    example: /^\w+: \{/,
  },
  {
    kind: 'source',
    entries: sources,
    units: sourceUnits,
    example: /^source: \{/,
  },
] as const;

describe.each(catalogues)('the catalogue: $kind', ({ entries, units, example }) => {
  it('lists every unit that there is, each under a name of its own', async () => {
    expect(new Set(await units())).toEqual(new Set(entries));
    expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
    expect(entries.length).toBeGreaterThan(1);
  });

  it.each([...entries])('$name has a summary of one line, and an example', entry => {
    expect(entry.summary).toMatch(/^\S[^\n]{10,118}[^.\s]$/);
    expect(entry.example).toMatch(example);
  });
});

it.each([...optimizers, ...trainers])('the library has a factory of the optimizer $name', unit => {
  const camel = unit.name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const made = Object.values(optimizerEntry).flatMap(factory => {
    try {
      return [(factory as (options: unknown) => unknown)(needed[camel] ?? {})];
    } catch {
      return [];
    }
  });
  expect(made.map(each => (each as { component?: unknown }).component)).toContain(unit);
});

it.each(losses)('the library has a factory of the loss $name', ({ name }) => {
  const made = Object.values(lossEntry).flatMap(factory =>
    typeof factory === 'function' ? [(factory as () => Loss)().name] : [],
  );
  expect(made).toContain(name);
});

/** Stages that make a whole pipeline, each as plain as can be. */
const training = {
  tokenize: 'tokenize: {}',
  featurize: 'featurize: { templates: ["U:%x[0,0]"] }',
  batch: 'batch: {}',
  contribute: 'contribute: {}',
  optimize: 'optimize: { sgd: {} }',
};
const tagging = {
  tokenize: training.tokenize,
  featurize: 'featurize: { model: some.model }',
  batch: training.batch,
  tag: 'tag: {}',
};

/** A pipeline file with one of its stages, or one more, written as given. */
function pipelineWith(
  name: string,
  example: string,
  sourceLine = 'source: { ndjson: {} }',
  others: Readonly<Record<string, string>> = {},
): string {
  const base: Readonly<Record<string, string>> = name === 'tag' ? tagging : training;
  const lines = Object.entries({ ...base, ...others, [name]: example }).map(
    ([, stage]) => `  - ${stage}`,
  );
  const train = name === 'tag' ? [] : ['train: { epochs: 1 }'];
  return ['version: 1', 'name: example', sourceLine, 'stages:', ...lines, ...train].join('\n');
}

/** A pipeline file with the example of a stage: those of streams learn from one that is tagged too. */
function pipelineOf(name: string, example: string): string {
  if (!['join', 'replay', 'ask'].includes(name)) return pipelineWith(name, example);
  const { tokenize, featurize, batch, contribute, optimize } = training;
  const order = { join: '', tokenize, featurize, batch, replay: '', contribute, optimize };
  const stages = Object.entries({ ...order, [name]: example, tag: tagging.tag });
  const lines = stages.flatMap(([, stage]) => (stage === '' ? [] : [`  - ${stage}`]));
  const head = ['version: 1', 'name: example', 'source: { ndjson: {} }', 'stages:'];
  return [...head, ...lines, 'train: { corpusSize: 100 }'].join('\n');
}

/** A pipeline file with the example of an optimizer, loss or scorer, and the others of the three that go with it. */
function fittingPipeline(name: string, example: string, loss: Loss, scorer: string): string {
  const optimizer = optimizers.find(each =>
    each.losses === undefined ? loss.exclusive !== true : each.losses.includes(loss.name),
  )!;
  const made = [treeBoosting, supportVectors].find(({ makes }) =>
    scorers.some(each => each.example === example && each.name === makes?.({} as never)),
  );
  const others = { contribute: loss.example, optimize: made?.example ?? optimizer.example };
  const stage = name === 'scorer' ? 'contribute' : name;
  const text = name === 'scorer' ? loss.example : example;
  const model = name === 'scorer' ? example : `model: { scorer: ${scorer} }`;
  return `${pipelineWith(stage, text, undefined, others)}\n${model}`;
}

describe('examples in the catalogue', () => {
  it.each([...stages])('of stage $name stands in a pipeline', ({ name, example }) => {
    const pipeline = parsePipeline(pipelineOf(name, example), 'example.yaml');
    const chosen = pipeline.stages.find(({ component }) => component.name === name)!;
    expect(Object.keys(chosen.options).length).toBeGreaterThan(0);
    expect(pipeline.trains).toBe(name !== 'tag');
  });

  it.each([...optimizers])(
    'of optimizer $name stands in a pipeline',
    ({ name, example, options, losses: own = ['log'] }) => {
      const loss = losses.find(each => own.includes(each.name))!;
      const [scorer] = loss.scorers ?? ['linear'];
      const text = fittingPipeline('optimize', example, loss, scorer!);
      const pipeline = parsePipeline(text, 'example.yaml');
      const { options: chosen } = pipeline.stages.at(-1)!;
      expect(Object.keys(chosen)).toEqual([name]);
      expect(options.parse(chosen[name])).toEqual(chosen[name]);
    },
  );

  it.each([...losses])('of loss $name stands in a pipeline', loss => {
    const { name, example } = loss;
    const [scorer] = loss.scorers ?? ['linear'];
    const text = fittingPipeline('contribute', example, loss, scorer!);
    const pipeline = parsePipeline(text, 'example.yaml');
    expect(pipeline.stages.at(-2)!.options).toEqual({ loss: name });
  });

  it.each([...scorers])('of scorer $name stands in a pipeline', ({ name, example }) => {
    const loss = losses.find(each => fitsScorer(each, name))!;
    const text = fittingPipeline('scorer', example, loss, name);
    expect(parsePipeline(text, 'example.yaml').config.model).toMatchObject({ scorer: name });
  });

  it.each([...sources])('of source $name stands in a pipeline', ({ name, example }) => {
    const pipeline = parsePipeline(pipelineWith('batch', 'batch: {}', example), 'example.yaml');
    expect(pipeline.source.component.name).toBe(name);
    expect(pipeline.source.options.files).toHaveLength(1);
  });
});
