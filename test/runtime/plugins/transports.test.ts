import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TagstreamError } from '../../../src/engine/core/errors.js';
import { definePlugin, defineTransport } from '../../../src/entries/plugin.js';
import { type Plugin, parsePipeline, type RunOptions, runPipeline } from '../../../src/index.js';
import { dryRun } from '../../../src/runtime/pipeline/run/dry-run/dry-run.js';
import { learnCurve } from '../../../src/runtime/pipeline/run/learn-curve.js';
import { toyRecords, workspace } from '../../cli/commands/workspace.js';
import { itsPackage, plugInPipeline } from './installed.js';

interface Queue {
  readonly waiting: { readonly number: unknown; readonly bytes: string }[];
  readonly pending: Map<number, string>;
  closed: boolean;
}

interface Queues {
  readonly default: Plugin;
  queueOf(name: string): Queue;
  put(name: string, bytes: string): void;
  redeliver(name: string): void;
}

const { default: plugin, queueOf, put, redeliver } = (await import(itsPackage)) as Queues;
const folder = workspace();
const path = (name: string) => join(folder, name);
let queues = 0;
let name = '';

beforeEach(() => {
  queues += 1;
  name = `in-${queues}`;
});

const parsed = (text: string) => parsePipeline(text, path('a.yaml'), { use: [plugin] });
const run = (text: string, options: RunOptions = {}) => runPipeline(parsed(text), options);
plugInPipeline(folder, itsPackage, 40);
const tsvLines = readFileSync(path('train.tsv'), 'utf8').split(/(?<=\n)/);

/** A pipeline that learns from a queue. */
const learning = () => `version: 1
name: learning
source: { tsv: { from: { queue: { name: ${name} } } } }
stages:
  - featurize: { templates: ["U:%x[0,0]", "B"], hashed: { rows: 4096, edgeRows: 16 } }
  - batch: { sentences: 1 }
  - contribute
  - optimize: { sgd: {} }
  - checkpoint: { dir: steps-${name}, sentences: 5 }
train: { corpusSize: 40 }
model: ${name}.model
`;

const tagging = (more = '') => `version: 1
name: tagging
source: { ndjson: { from: { queue: { name: ${name} } } } }
stages:
  - tokenize
  - featurize: { model: tagger.model }
  - batch: { sentences: 4, milliseconds: 5 }
  - tag
${more}`;

async function trainTagger(): Promise<void> {
  for (const line of tsvLines) put(name, line);
  queueOf(name).closed = true;
  await run(learning(), { model: path('tagger.model') });
  queues += 1;
  name = `in-${queues}`;
}

async function failure(work: Promise<unknown>): Promise<TagstreamError> {
  return work.then(
    () => expect.fail('nothing was refused'),
    error => error as TagstreamError,
  );
}

describe('a transport of a plug-in', () => {
  it('takes results without their records, each or a message at a time, where it says so', {
    tags: 'slow',
  }, async () => {
    await trainTagger();
    const lines = toyRecords(5, false);
    const found = new Map<string, { texts: string[]; places: number[][] }>();
    for (const takes of ['records', 'pieces', 'messages'] as const) {
      const texts: string[] = [];
      const places: number[][] = [];
      const lists = defineTransport({
        ...{ name: 'list', summary: 'keeps messages', options: { type: 'object' } },
        create: () => ({
          ...{ name: 'list', takes },
          write: () => ({
            send: async bytes => void texts.push(Buffer.from(bytes).toString()),
            sendPiece: async (bytes, { start, end }) => {
              texts.push(Buffer.from(bytes).toString());
              places.push([start, end]);
            },
          }),
        }),
      });
      put(name, `${lines.slice(0, 3).join('\n')}\n`);
      put(name, `${lines.slice(3).join('\n')}\n`);
      queueOf(name).closed = true;
      const use = [plugin, definePlugin({ name: 'lists', components: [lists] })];
      const pipeline = parsePipeline(tagging('sink: { to: { list: {} } }\n'), path('a.yaml'), {
        use,
      });
      expect(await runPipeline(pipeline)).toMatchObject({ records: 5 });
      expect(queueOf(name).pending.size).toBe(0);
      found.set(takes, { texts, places });
      queues += 1;
      name = `in-${queues}`;
    }
    const single = found.get('records')!.texts;
    expect(single).toHaveLength(5);
    expect(found.get('pieces')).toMatchObject({ texts: single, places: { length: 5 } });
    expect(found.get('messages')!.texts).toEqual([
      single.slice(0, 3).join(''),
      single.slice(3).join(''),
    ]);
  });

  it('brings what a file would, one message or many records in one', { tags: 'slow' }, async () => {
    const file = learning().replace(/from: .*? \} \}/, 'files: [train.tsv]');
    await run(file, { model: path('file.model') });
    for (const together of [1, 7]) {
      for (let i = 0; i < tsvLines.length; i += together) {
        put(name, tsvLines.slice(i, i + together).join(''));
      }
      queueOf(name).closed = true;
      await run(learning(), { model: path('queue.model') });
      expect(readFileSync(path('queue.model'))).toEqual(readFileSync(path('file.model')));
      expect(queueOf(name).pending.size).toBe(0);
    }
  });

  it('takes tagged records one by one, with their ids, and acknowledges what they came from', {
    tags: 'slow',
  }, async () => {
    await trainTagger();
    const records = toyRecords(9, false);
    put(name, records.slice(0, 4).join('\n'));
    for (const record of records.slice(4, 8)) put(name, record);
    put(name, 'no record');
    put(name, JSON.stringify({ tokens: ['dog'] }));
    queueOf(name).closed = true;
    const sink = `sink: { to: { queue: { name: out-${name} } } }\ndeadLetters: { default: dead-letter, file: ${name}.bad }\n`;
    expect(await run(tagging(sink))).toMatchObject({ records: 9, stopped: false });
    const { waiting } = queueOf(`out-${name}`);
    expect(waiting.map(({ number }) => number)).toEqual([
      ...['0', '1', '2', '3', '4', '5', '6', '7'],
      expect.stringMatching(new RegExp(`^queue ${name}#6:0-18:\\w{32}$`)),
    ]);
    const tags = waiting.map(({ bytes }) => (JSON.parse(bytes) as { tags: string[] }).tags);
    expect(tags.every(list => list.length > 0)).toBe(true);
    expect(queueOf(name).pending.size).toBe(0);
    expect(JSON.parse(readFileSync(path(`${name}.bad`), 'utf8'))).toMatchObject({
      ...{ source: `queue ${name}#5`, line: 1, code: 'not-json', raw: 'no record' },
    });
  });

  it('is acknowledged after a checkpoint, and a resumed run gives the same bytes', async () => {
    const text = learning();
    const fill = () => {
      for (let i = 0; i < tsvLines.length; i += 3) put(name, tsvLines.slice(i, i + 3).join(''));
    };
    fill();
    const whole = learning().replaceAll(name, `${name}-whole`);
    for (const { bytes } of queueOf(name).waiting) put(`${name}-whole`, bytes);
    queueOf(`${name}-whole`).closed = true;
    await run(whole);

    const controller = new AbortController();
    let steps = 0;
    const pendingAtStep: number[] = [];
    const stopped = await run(text, {
      signal: controller.signal,
      events: {
        onStep: () => {
          steps += 1;
          pendingAtStep.push(queueOf(name).pending.size);
          if (steps === 13) controller.abort();
        },
      },
    });
    expect(stopped.stopped).toBe(true);
    // Before the first checkpoint, after five sentences, none is acknowledged.
    expect(pendingAtStep.slice(0, 5)).toEqual([1, 1, 1, 2, 2]);
    expect(Math.max(...pendingAtStep)).toBeLessThanOrEqual(3);
    redeliver(name);
    queueOf(name).closed = true;
    expect(await run(text, { resume: true })).toMatchObject({
      ...{ stopped: false, sentencesSeen: tsvLines.length },
    });
    expect(queueOf(name).pending.size).toBe(0);
    expect(readFileSync(path(`${name}.model`))).toEqual(readFileSync(path(`${name}-whole.model`)));
  });

  it('keeps what a stopped run has not handled', async () => {
    await trainTagger();
    for (const record of toyRecords(3, false)) put(name, record);
    const controller = new AbortController();
    const sink = `sink: { to: { queue: { name: out-${name} } } }\n`;
    const ended = run(tagging(sink), { signal: controller.signal });
    while (queueOf(`out-${name}`).waiting.length < 3) {
      await new Promise(resolve => setTimeout(resolve, 2));
    }
    controller.abort();
    expect(await ended).toMatchObject({ records: 3, stopped: true });
    put(name, toyRecords(4, false)[3]!);
    expect([queueOf(name).waiting.length, queueOf(name).pending.size]).toEqual([1, 0]);
  });
});

describe('a pipeline with a transport', () => {
  it.each([
    ['  files: [a], from: { queue: { name: q } }', 'expected either files or from'],
    ['  from: { queue: {} }', 'from.queue.name'],
    ['  from: { quene: { name: q } }', 'did you mean queue?'],
  ])('is refused with %s', (options, message) => {
    const text = learning().replace(/from: .*? \} \}/, options.trim());
    expect(() => parsed(text)).toThrow(message);
  });

  it('cannot have checkpoints of what it sends, or a sink that is two', () => {
    expect(() => parsed(learning().replace(/.*checkpoint.*\n/, ''))).toThrow(
      'learning from messages needs checkpoints, which acknowledge them',
    );
    const steps = '  - checkpoint: { dir: steps, sentences: 1 }\n';
    const to = 'to: { queue: { name: q } }';
    expect(() => parsed(tagging(`${steps}sink: { ${to} }\n`))).toThrow(
      'sent messages cannot be undone when the run resumes from a checkpoint',
    );
    expect(() => parsed(tagging(`sink: { file: a, ${to} }\n`))).toThrow(
      'expected either file or to',
    );
  });

  it('is not read by what reads it twice, or not for good', async () => {
    const test = `${learning()}test: { tsv: { files: [train.tsv] } }\n`;
    expect(await failure(dryRun(parsed(test), { limit: 5 }))).toMatchObject({
      problem: 'a dry run would consume messages of the real run',
    });
    const curve = learnCurve(parsed(test), { sizes: [{ share: 1 }] });
    expect(await failure(curve)).toMatchObject({
      problem: 'a learning curve reads its source several times',
    });
  });

  it('ends with an error that names the transport whose message cannot be sent', async () => {
    await trainTagger();
    put(name, toyRecords(1, false)[0]!);
    queueOf(name).closed = true;
    const error = await failure(run(tagging('sink: { to: { queue: { name: full } } }\n')));
    expect(error.message).toContain(
      'the transport queue of the plug-in its-package threw: the queue is full',
    );
    expect(queueOf(name).pending.size).toBe(1);
  });
});
