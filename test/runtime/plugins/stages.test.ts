import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bufferCount, delay, filter, type MonoTypeOperatorFunction, map, mergeMap, of } from 'rxjs';
import { take } from 'rxjs/operators';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { componentPage } from '../../../src/cli/components/list-components.js';
import { defineStage, type PluginComponent, type StageItem } from '../../../src/entries/plugin.js';
import {
  type Document,
  type Plugin,
  parsePipeline,
  runPipeline,
  type Sentence,
  type State,
  type TaggedSentence,
  type TrainingStep,
} from '../../../src/index.js';
import { catalogueOf } from '../../../src/runtime/pipeline/loading/catalogue.js';
import { checkPlugin } from '../../../src/runtime/plugins/check-plugin.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);

const words = ['Anna', 'Ben', 'sings', 'saw', 'Oslo'];
const records = Array.from({ length: 60 }, (_, i) => {
  const tokens = Array.from({ length: 1 + (i % 3) }, (_, t) => words[(i * 7 + t * 3) % 5]!);
  const tags = tokens.map(token => (/^[A-Z]/.test(token) ? 'NAME' : 'O'));
  return { id: i, tokens, ...(i % 4 === 3 ? {} : { tags }) };
});
writeFileSync(path('in.ndjson'), records.map(record => `${JSON.stringify(record)}\n`).join(''));

const seen: string[] = [];

const short = defineStage({
  name: 'short',
  summary: 'leaves out long records',
  on: 'document',
  options: z.strictObject({ most: z.int().default(2).describe('tokens at most') }),
  create: ({ most }) => ({
    operator: filter(({ tokens = [] }: Document) => tokens.length <= most),
  }),
});

/** Every third sentence is written in lower case: what it knows of earlier ones has to be in checkpoints. */
const third = defineStage({
  name: 'third',
  summary: 'lower case for every third sentence',
  on: 'sentence',
  stateful: true,
  create() {
    let count = 0;
    return {
      operator: map((sentence: Sentence) => {
        count += 1;
        if (count % 3 !== 0) return sentence;
        return { ...sentence, tokens: sentence.tokens.map(token => token.toLowerCase()) };
      }),
      save: () => ({ json: { count }, arrays: {} }),
      restore: ({ json }: State) => {
        count = json.count as number;
      },
    };
  },
});

const watched = defineStage({
  name: 'watched',
  summary: 'notes the labels that are known',
  on: 'training step',
  create: (_, { model }) => ({
    operator: map((step: TrainingStep) => {
      seen.push(`${step.sentencesSeen} ${model!.labels.size}`);
      return step;
    }),
  }),
});

const loud = defineStage({
  name: 'loud',
  summary: 'tags in upper case, with an exclamation mark',
  on: 'tagged sentence',
  create: () => ({
    operator: map((tagged: TaggedSentence) => ({
      ...tagged,
      tags: tagged.tags.map(tag => `${tag}!`),
    })),
  }),
});

const plugin: Plugin = { name: 'own', components: [short, third, watched, loud] };

const learning = (stages: string, more = '') => `version: 1
name: learning
source: { ndjson: { files: [in.ndjson] } }
stages: [${stages}]
train: { corpusSize: 50 }
model: a.model
sink: { file: out.ndjson }
${more}`;

const usual = (own: { document?: string; sentence?: string; step?: string; tagged?: string }) =>
  [
    own.document,
    'tokenize',
    own.sentence,
    'featurize: { templates: ["U0:%x[0,0]", "B"] }',
    'batch: { sentences: 2 }',
    'contribute',
    'optimize: { adagrad: {} }',
    'evaluate: { progressive: true }',
    own.step,
    'checkpoint: { dir: ck, sentences: 4 }',
    'tag',
    own.tagged,
  ]
    .filter(stage => stage !== undefined)
    .join(', ');

const all = usual({ document: 'short', sentence: 'third', step: 'watched', tagged: 'loud' });

async function run(text: string, options: Parameters<typeof runPipeline>[1] = {}, use = plugin) {
  return await runPipeline(parsePipeline(text, path('p.yaml'), { use: [use] }), options);
}

const written = (name: string) =>
  readFileSync(path(name), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { id: number; tokens: string[]; tags: string[] });

const clear = () => {
  for (const name of ['ck', 'out.ndjson', 'out.ndjson.part', 'a.model']) {
    rmSync(path(name), { recursive: true, force: true });
  }
};

describe('stages of a plug-in', () => {
  it('go where their items are, while a stream is learned from', async () => {
    clear();
    seen.length = 0;
    const { records: count } = await run(learning(all));
    const kept = records.filter(({ tokens }) => tokens.length <= 2);
    expect(count).toBe(kept.length);
    const results = written('out.ndjson');
    expect(results.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    expect(results.every(({ tags }) => tags.every(tag => tag.endsWith('!')))).toBe(true);
    expect(seen.length).toBe(kept.length / 2);
    expect(seen.at(-1)).toBe(`${kept.filter(({ tags }) => tags !== undefined).length} 2`);
  });

  it('keep what they know in checkpoints', async () => {
    clear();
    await run(learning(all));
    const whole = [readFileSync(path('out.ndjson')), readFileSync(path('a.model'))];
    for (const stopAt of [4, 7, 11, 18]) {
      clear();
      let steps = 0;
      const stop = new AbortController();
      const onStep = () => {
        steps += 1;
        if (steps === stopAt) stop.abort();
      };
      await run(learning(all), { signal: stop.signal, events: { onStep } });
      await run(learning(all), { resume: true });
      expect([readFileSync(path('out.ndjson')), readFileSync(path('a.model'))]).toEqual(whole);
    }
  });

  it('go with a model that tags', async () => {
    clear();
    await run(learning(usual({})));
    const text = `version: 1
name: tagging
source: { ndjson: { files: [in.ndjson] } }
stages: [short: { most: 1 }, tokenize, third, featurize: { model: a.model }, batch, tag, loud]
sink: { file: tagged.ndjson }`;
    const { records: count } = await run(text);
    expect(count).toBe(20);
    expect(written('tagged.ndjson')[0]).toMatchObject({ id: 0, tags: ['NAME!'] });
    await expect(run(text, { workers: 2 })).rejects.toMatchObject({
      code: 'config',
      problem: 'several workers cannot be combined with the plug-in stage short',
    });
    const { error } = refused(
      text.replace('tag, loud', 'tag, loud, checkpoint: { dir: d, seconds: 9 }'),
    );
    expect(error).toMatchObject({
      problem: expect.stringContaining(
        'hold an input position, not the state of stages, without the plug-in stage third',
      ),
      place: { line: 4 },
    });
  });

  it('are listed with their options', () => {
    const page = componentPage('short', catalogueOf([checkPlugin(plugin)]));
    expect(page).toContain('short: stage of the plug-in own\nleaves out long records');
    expect(page).toContain('most: whole number; default 2\n      tokens at most');
  });
});

function refused(text: string, use: Plugin = plugin): { readonly error: unknown } {
  try {
    parsePipeline(text, path('p.yaml'), { use: [use] });
  } catch (error) {
    return { error };
  }
  return { error: undefined };
}

describe('a stage of a plug-in where it cannot go', () => {
  it.each([
    [
      'sentence' as const,
      'third',
      { document: 'third' },
      'it takes a sentence, but gets a document',
    ],
    [
      'training step' as const,
      'watched',
      { tagged: 'watched' },
      'it takes a training step, but gets a tagged',
    ],
    ['document' as const, 'short', { document: 'short: { least: 1 }' }, 'unknown key "least"'],
    ['document' as const, 'short', { document: 'short, short' }, 'the stage occurs twice'],
  ])('is refused: %s', (_, name, own, problem) => {
    const { error } = refused(learning(usual(own)));
    expect(error).toMatchObject({ code: 'config', problem: expect.stringContaining(problem) });
    expect(String(error)).toContain('p.yaml:4:');
    expect(name).not.toBe('');
  });

  it('is refused on a corpus, on many machines, and behind the checkpoint', () => {
    const corpus = learning(
      usual({ document: 'short' }).replace('evaluate: { progressive: true }, ', ''),
    )
      .replace('corpusSize: 50', 'epochs: 2')
      .replace(', tag]', ']')
      .replace(/sink.*\n/, '');
    const cluster = learning(
      usual({ sentence: 'third' }).replace(', tag', '').replace('sentences: 4', 'every: 1'),
    )
      .replace('corpusSize: 50', 'corpusSize: 50, cluster: { shards: 2, every: 10 }')
      .replace(/sink.*\n/, '');
    const behind = learning(usual({}).replace(', tag', ', watched, tag'));
    for (const [text, problem] of [
      [corpus, 'trained on in passes, without the plug-in stage short'],
      [cluster, 'learn from a stream in rounds, without the plug-in stage third'],
      [behind, 'only the state of the stages before it, without the plug-in stage watched'],
      [
        learning(all.replace('sentences: 2', 'tokens: 5')),
        'read one sentence ahead, without the plug-in stage third',
      ],
    ] as const) {
      expect(refused(text).error).toMatchObject({ problem: expect.stringContaining(problem) });
    }
  });

  it('has a name of its own', () => {
    const twice = { name: 'other', components: [{ ...short, name: 'batch' } as PluginComponent] };
    expect(refused(learning(all), twice).error).toMatchObject({
      problem:
        'the plug-in other registers a stage "batch", but Tagstream already has one of that name',
    });
  });
});

describe('a stage of a plug-in that is not what it should be', () => {
  const documents = (operator: MonoTypeOperatorFunction<StageItem>, more = {}) => ({
    name: 'odd',
    components: [
      {
        ...{ kind: 'stage', name: 'odd', summary: 'odd', on: 'document', ...more },
        create: () => ({ operator, ...more }),
      } as unknown as PluginComponent,
    ],
  });
  const state = { save: () => ({ json: {}, arrays: {} }), restore: () => undefined };

  it.each<[string, Plugin, string | RegExp]>([
    ['late', documents(delay(0)), /when its source completes|after receiving the next/],
    [
      'twice',
      documents(mergeMap((item: StageItem) => of(item, item))),
      'emits several documents for one',
    ],
    [
      'held',
      documents(bufferCount(2) as never, { stateful: true, ...state }),
      'emits nothing for a document',
    ],
    ['ended', documents(take(3)), 'completes before its source'],
    [
      'nothing',
      documents(map(() => undefined as never)),
      'expected a map of options, got undefined',
    ],
    [
      'thrown',
      documents(
        map(() => {
          throw new Error('no such city');
        }),
      ),
      'threw: no such city',
    ],
    [
      'undeclared',
      documents(
        map(item => item),
        state,
      ),
      'returned save or restore, but it is not stateful',
    ],
    [
      'unsaved',
      documents(
        map(item => item),
        { stateful: true },
      ),
      'is stateful, but create did not return save',
    ],
    ['no operator', documents(undefined as never), 'did not return an operator'],
    [
      'nowhere',
      documents(
        map(item => item),
        { on: 'token' },
      ),
      'does not declare which items it processes',
    ],
  ])('%s', async (_, use, problem) => {
    clear();
    const text = learning(usual({ document: 'odd' }));
    const made = run(text, {}, use);
    await expect(made).rejects.toMatchObject({ message: expect.stringMatching(problem) });
    await expect(made).rejects.toMatchObject({
      message: expect.stringContaining('the stage odd of'),
    });
  });

  it('leaves errors of its source alone', async () => {
    clear();
    const text = learning(all, 'deadLetters: { default: fail }');
    writeFileSync(path('bad.ndjson'), '{"tokens": ["a"], "tags": ["X"]}\n{"tokens": 3}\n');
    const broken = run(text.replace('in.ndjson', 'bad.ndjson'));
    await expect(broken).rejects.toMatchObject({ code: 'wrong-shape', place: { line: 2 } });
  });
});
