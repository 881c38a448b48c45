import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { changeableOf, type ResumedRun } from '../../../../src/engine/core/schema/on-resume.js';
import { definePlugin, defineTransport } from '../../../../src/entries/plugin.js';
import { parsePipeline, type RunOptions, runPipeline } from '../../../../src/index.js';
import { pipelineSchema } from '../../../../src/runtime/pipeline/loading/pipeline-schema.js';
import {
  pipelineSettings,
  refuseChanges,
} from '../../../../src/runtime/pipeline/setup/restore-run.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);

/** The used parts of the definitions of schemas. */
interface Definition {
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

/** Paths of all options of a schema. */
function pathsOf(schema: z.ZodType, at: readonly string[] = []): (readonly string[])[] {
  const { def } = schema._zod as unknown as { readonly def: Definition };
  const inner = def.innerType ?? def.in;
  if (inner !== undefined) return pathsOf(inner, at);
  if (def.options !== undefined) return def.options.flatMap(option => pathsOf(option, at));
  if (def.element !== undefined) return pathsOf(def.element, [...at, '0']);
  if (def.valueType !== undefined) return pathsOf(def.valueType, [...at, 'any']);
  if (def.shape === undefined) return [at];
  return Object.entries(def.shape).flatMap(([key, value]) => pathsOf(value, [...at, key]));
}

/** Options of pipeline files, with those of all sources, transports and stages, each once. */
const all = [...new Map(pathsOf(pipelineSchema).map(found => [found.join('.'), found])).values()];

/** Returns the options that may change in a run, with the parts that all components share written once. */
function changeable(run: ResumedRun): string[] {
  const found = all.flatMap(option => {
    const is = changeableOf(pipelineSchema, option, run);
    if (is === undefined) return [];
    const [section] = option;
    if (['sink', 'test', 'checks', 'deadLetters'].includes(section!)) return [`${section} ${is}`];
    const name = option
      .filter(key => key !== '0')
      .join('.')
      .replace(/^(source|stages\.join\.labels)\.[\w-]+/, '$1.FORMAT')
      .replace(/(auth|tls)\..*/, '$1');
    return [`${name} ${is}`];
  });
  return [...new Set(found)].sort();
}

const learning = { kind: 'learn', answersDrift: false } as const;

const reached = (of: string) =>
  ['auth', 'giveUp', 'servers', 'tls'].map(name => `${of}.${name} place`);
const transport = (of: string) => [
  ...['ackWait work', 'create place', 'deliveries work', 'follow length'].map(
    own => `${of}.${own}`,
  ),
  ...['replicas place', 'window place'].map(own => `${of}.${own}`),
  ...reached(of),
];
const input = (of: string) => [
  ...['budget work', 'budgetBytes work', 'files input', 'limit length'].map(own => `${of}.${own}`),
  ...transport(`${of}.from.nats`),
];

/** What may change in a run that learns from a stream; every other option must not. */
const expected = [
  ...[
    'checks observation',
    'deadLetters observation',
    'deploy place',
    'deploy.records place',
    'deploy.to place',
    'description observation',
  ],
  ...['model place', 'model.file place', 'model.names observation', 'shutdownTimeout observation'],
  ...['sink place', 'test observation', 'train.epochs length', 'train.workers work'],
  ...['compact', 'temperature', 'threshold.below', 'threshold.keep'].map(
    name => `train.${name} output`,
  ),
  ...['ackWait', 'stream'].map(name => `train.cluster.${name} place`),
  ...['create', 'lease', 'replicas', 'work'].map(name => `train.cluster.${name} work`),
  ...reached('train.cluster'),
  ...input('source.FORMAT'),
  ...input('stages.join.labels.FORMAT'),
  ...['every', 'keep', 'model', 'seconds', 'sentences'].map(
    name => `stages.checkpoint.${name} observation`,
  ),
  'stages.checkpoint.dir place',
  ...['halfLife', 'rank', 'report', 'window'].map(name => `stages.evaluate.${name} observation`),
  ...['deviations', 'drop', 'newLabels', 'newWords', 'recent', 'sentences', 'usual'].map(
    name => `stages.evaluate.warn.${name} observation`,
  ),
].sort();

describe('an option that may change between a checkpoint and the run that resumes', () => {
  it('declares it: of all options of all sections, stages and transports, these', () => {
    expect(all.length).toBeGreaterThan(400);
    const found = changeable(learning);
    const named = found.filter(name => !/^stages\.(?:ask|tag)\./.test(name));
    expect(named).toEqual(expected);
    // What is tagged with, and where questions go, whatever it is.
    const ofTag = all.filter(([section, , stage]) => section === 'stages' && stage === 'tag');
    expect(ofTag.length).toBeGreaterThan(10);
    for (const option of ofTag) {
      expect(changeableOf(pipelineSchema, option, learning), option.join('.')).toBe('output');
    }
    const asked = found.filter(name => name.startsWith('stages.ask.'));
    expect(new Set(asked.map(name => name.split(/[. ]/)[2]))).toEqual(new Set(['file', 'to']));
  });

  it('depends on the run where the option does', () => {
    const corpus = changeable({ kind: 'train', answersDrift: false });
    const only = (run: ResumedRun) => changeable(run).filter(name => !corpus.includes(name));
    // The files of a corpus are read again.
    expect(expected.filter(name => !corpus.includes(name))).toEqual([
      ...['files input', 'limit length'].map(own => `source.FORMAT.${own}`),
      ...['files input', 'limit length'].map(own => `stages.join.labels.FORMAT.${own}`),
    ]);
    expect(only({ kind: 'tag', answersDrift: false }).filter(name => /batch/.test(name))).toEqual(
      ['milliseconds', 'sentences', 'tokens'].map(name => `stages.batch.${name} work`),
    );
    const tagging = changeable({ kind: 'tag', answersDrift: false });
    expect(tagging.filter(name => name.startsWith('stages.tag.'))).toEqual([]);
    const answering = changeable({ kind: 'learn', answersDrift: true });
    expect(expected.filter(name => !answering.includes(name))).toEqual(
      expected.filter(name => name.startsWith('stages.evaluate.warn.')),
    );
  });

  it('is accepted, and any other refused, for each option of the file by itself', {
    tags: 'slow',
  }, () => {
    const withStages = (value: unknown) => ({
      name: 'a',
      stages: [{ one: { x: 1 } }],
      ...(value as object),
    });
    const nested = ([key, ...rest]: readonly string[], value: unknown): unknown =>
      key === undefined ? value : { [key]: nested(rest, value) };
    for (const option of all) {
      const isAllowed = changeableOf(pipelineSchema, option, learning) !== undefined;
      const at = option[0] === 'stages' ? option.slice(2) : option;
      const settingsOf = (value: unknown) =>
        option[0] === 'stages'
          ? withStages({ stages: [{ one: { x: 1 } }, nested(at, value)] })
          : withStages(nested(at, value));
      const compared = {
        settings: settingsOf('new'),
        decides: 'what the model learns',
        mayChange: ([section, ...path]: readonly string[]) =>
          changeableOf(
            pipelineSchema,
            section === 'stages' ? [section, '0', ...path] : [section!, ...path],
            learning,
          ) !== undefined,
      };
      const name = (option[0] === 'stages' ? ['stages', ...at] : at).join('.');
      const refused = () => refuseChanges(settingsOf('old'), compared, 'checkpoints');
      if (isAllowed) expect(refused, name).not.toThrow();
      else expect(refused, name).toThrow(`what the model learns: ${name}: "old" -> "new" (undo`);
    }
  });
});

const pipelineOf = (changes: Readonly<Record<string, string>> = {}) => {
  const setting = (name: string, usual: string) => changes[name] ?? usual;
  return `version: 1
name: learning
${setting('description', '')}
source: { ndjson: { files: [${setting('files', 'stream.ndjson')}]${setting('budget', '')} } }
stages:
  - tokenize
  - featurize: { templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "B"]${setting('cutoff', '')} }
  - batch: { sentences: 2 }
  - contribute
  - optimize: { sgd: { eta0: ${setting('eta0', '0.2')} } }
  - evaluate: { progressive: true${setting('evaluate', '')} }
${setting('added', '')}
  - checkpoint: { dir: ${setting('dir', 'dir')}${setting('checkpoint', ', sentences: 10')} }
  - tag: {${setting('tag', '')}}
train: { corpusSize: 60${setting('train', '')} }
model: ${setting('model', 'learned.model')}
sink: { file: ${setting('sink', 'out.ndjson')} }
${setting('more', '')}
`;
};

describe('a run that resumes', () => {
  const lines = toyRecords(60).map(line => `${line}\n`);
  const write = (name: string, from: number, to: number) =>
    writeFileSync(path(name), lines.slice(from, to).join(''));
  const run = (text: string, options: RunOptions = {}) =>
    runPipeline(parsePipeline(text, path('a.yaml')), options);

  it('learns the same with all places, thresholds and reports changed', {
    tags: 'slow',
  }, async () => {
    write('whole.ndjson', 0, 60);
    await run(pipelineOf({ dir: 'whole', files: 'whole.ndjson', model: 'whole.model' }));
    write('stream.ndjson', 0, 30);
    write('rest.ndjson', 30, 60);
    await run(pipelineOf());
    mkdirSync(path('moved'));
    cpSync(path('dir'), path('moved'), { recursive: true });
    const changed = pipelineOf({
      ...{ description: 'description: another', files: 'stream.ndjson, rest.ndjson' },
      ...{ budget: ', budget: 50, budgetBytes: 100000', dir: 'moved', tag: 'scores: true' },
      evaluate: ', window: 7, halfLife: 3, report: 5, warn: { drop: 1, recent: 9, usual: 99 }',
      checkpoint: ', seconds: 3, keep: 7, model: true',
      ...{ model: '{ file: other.model, names: 3 }', sink: 'other.ndjson' },
      more: 'test: { ndjson: { files: [rest.ndjson] } }\ndeadLetters: { maxErrorRate: 0.5 }\nshutdownTimeout: 5',
    });
    const result = await run(changed, { resume: true });
    expect(result.sentencesSeen).toBe(60);
    const same = pipelineOf({
      dir: 'same',
      files: 'whole.ndjson',
      model: '{ file: same.model, names: 3 }',
    });
    await run(same);
    expect(readFileSync(path('other.model')).equals(readFileSync(path('same.model')))).toBe(true);
    expect(readFileSync(path('other.ndjson'), 'utf8').trim().split('\n')).toHaveLength(30);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'one setting',
      { eta0: '0.3', evaluate: ', report: 5' },
      'it differs in a setting that decides what the model learns: stages.optimize.sgd.eta0: 0.2 -> 0.3 (undo the change,',
    ],
    [
      'several settings',
      { eta0: '0.3', cutoff: ', cutoff: 2', checkpoint: ', seconds: 5' },
      'in 2 settings that decide what the model learns: stages.featurize.cutoff: 1 -> 2; stages.optimize.sgd.eta0: 0.2 -> 0.3 (undo these changes,',
    ],
    [
      'thresholds that are answered',
      { evaluate: ', warn: { drop: 1 }, drift: { answer: reset }' },
      'stages.evaluate.warn.drop: 5 -> 1; stages.evaluate.drift.answer: "warn" -> "reset"',
    ],
    [
      'another stage',
      { added: '  - replay: { keep: 9 }' },
      'order of stages: "tokenize, featurize, batch, contribute, optimize, evaluate, checkpoint, tag" -> ',
    ],
  ])('is refused with %s, named', async (_, changes, message) => {
    write('stream.ndjson', 0, 20);
    await run(pipelineOf());
    const settings = { ...changes };
    if (settings.added !== undefined) {
      const text = pipelineOf(settings).replace(/(\n {2}- contribute)/, `\n${settings.added}$1`);
      const replayed = text.replace(
        `evaluate: { progressive: true }\n${settings.added}`,
        'evaluate: { progressive: true }',
      );
      await expect(run(replayed, { resume: true })).rejects.toThrow(message);
      return;
    }
    await expect(run(pipelineOf(settings), { resume: true })).rejects.toThrow(message);
  });

  it('takes options of a plug-in as they declare themselves', () => {
    const component = (options: object) =>
      definePlugin({
        name: 'queues',
        components: [
          defineTransport({
            ...{ name: 'queue', summary: 'a queue', options: options as never },
            create: () => ({ name: 'queue', read: () => [] }),
          }),
        ],
      });
    const json = {
      type: 'object',
      properties: {
        url: { type: 'string', resume: 'place' },
        pause: { type: 'number', default: 3, resume: 'observation' },
        topic: { type: 'string' },
      },
    };
    const zod = z.object({
      url: z.string().meta({ resume: 'place' }),
      pause: z.number().default(3).meta({ resume: 'observation' }),
      topic: z.string(),
    });
    for (const options of [json, zod]) {
      const use = [component(options)];
      const settings = (queue: string) => {
        const text = pipelineOf({ files: '' }).replace('files: []', `from: { queue: ${queue} }`);
        return pipelineSettings(parsePipeline(text, path('a.yaml'), { use }));
      };
      const before = settings('{ url: a, topic: t }').settings;
      refuseChanges(before, settings('{ url: b, pause: 9, topic: t }'), 'dir');
      expect(() => refuseChanges(before, settings('{ url: b, topic: u }'), 'dir')).toThrow(
        'learns: source.ndjson.from.queue.topic: "t" -> "u" (undo',
      );
    }
  });

  it('of the command tag may have more inputs', async () => {
    await runPipeline(parsePipeline(readFileSync(toyPipeline(folder), 'utf8'), path('toy.yaml')));
    writeFileSync(path('x.ndjson'), toyRecords(9, false).join('\n'));
    writeFileSync(path('y.ndjson'), toyRecords(4, false).join('\n'));
    const given = [
      'tag',
      '--model',
      'toy.model',
      '--out',
      'x.out',
      '--checkpoint',
      'x',
      '--resume',
    ];
    expect((await tagstream([...given, 'x.ndjson'], { cwd: folder })).code).toBe(0);
    expect((await tagstream([...given, 'x.ndjson', 'y.ndjson'], { cwd: folder })).code).toBe(0);
    expect(readFileSync(path('x.out'), 'utf8').trim().split('\n')).toHaveLength(13);
    const other = await tagstream([...given, 'y.ndjson'], { cwd: folder });
    expect(other.code).toBe(0);
    const scored = await tagstream([...given, '--scores', 'x.ndjson', 'y.ndjson'], { cwd: folder });
    expect(scored.stderr).toContain('a setting that decides the results: scores: absent -> true');
  });
});
