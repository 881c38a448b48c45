import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { definePlugin, defineTransport } from '../../../../src/entries/plugin.js';
import { parsePipeline, type RunOptions, runPipeline } from '../../../../src/index.js';
import { readWhole } from '../../../../src/runtime/io/checkpoints/file-checkpoint-store.js';
import { toyRecords, workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const bytesOf = (name: string) => readFileSync(path(name)).toString('base64');

/** Messages that come one by one, and are followed by silence if the list is not closed. */
const messages: { lines: string[]; closed: boolean; acknowledged: number } = {
  lines: [],
  closed: true,
  acknowledged: 0,
};
const plugin = definePlugin({
  name: 'slowly',
  components: [
    defineTransport({
      ...{ name: 'slowly', summary: 'one by one', options: { type: 'object' } },
      create: () => ({
        name: 'slowly',
        async *read({ from, signal }) {
          const done = typeof from === 'number' ? from : 0;
          for (let cursor = done; cursor < messages.lines.length; cursor += 1) {
            const ack = () => {
              messages.acknowledged += 1;
            };
            yield { bytes: messages.lines[cursor]!, cursor, ack };
            await pause(1);
          }
          while (!messages.closed && !signal.aborted) await pause(1);
        },
      }),
    }),
  ],
});

const run = (text: string, options: RunOptions = {}) =>
  runPipeline(parsePipeline(text, path('a.yaml'), { use: [plugin] }), options);

/** A pipeline that learns from the messages. */
const learning = (name: string, stages: string, checkpoint: string) => `version: 1
name: learning
source: { ndjson: { from: { slowly: {} } } }
stages:
  - tokenize
${stages}
  - checkpoint: { dir: ${name}, ${checkpoint} }
train: { corpusSize: 60 }
model: ${name}.model
`;

const templates = 'templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "B"]';
const usual = (featurize: string, batch: string, more = '') => `
  - featurize: { ${templates}${featurize} }
  - batch: { ${batch} }
${more}
  - contribute
  - optimize: { sgd: { average: true } }`;

/** Records of one sentence, and of several in a row. */
const texts = (count: number) =>
  toyRecords(count).map((line, i) => {
    const record = JSON.parse(line) as { tokens: string[] };
    const { length } = record.tokens;
    const sentences =
      i % 3 === 0
        ? [
            [0, 1],
            [1, length],
          ]
        : undefined;
    return JSON.stringify({ ...record, sentences });
  });

describe('a checkpoint that is written when time is over', () => {
  const lines = texts(50);

  it.each([
    ['minibatches of one', usual('', 'sentences: 1')],
    ['unfinished minibatches', usual('', 'sentences: 7')],
    ['counted features', usual(', cutoff: 2', 'sentences: 5')],
    ['counted features of single sentences', usual(', cutoff: 2', 'sentences: 1')],
    ['few features', usual(', maxFeatures: 60', 'sentences: 4')],
    ['hashed features', usual(', hashed: { rows: 4096, edgeRows: 16 }', 'tokens: 9')],
    ['replays', usual('', 'sentences: 3', '  - replay: { keep: 20 }')],
  ])(
    'neither changes a weight nor what a resumed run learns: %s',
    { tags: 'slow' },
    async (name, stages) => {
      messages.lines = lines;
      messages.closed = true;
      const whole = `${name.replaceAll(' ', '-')}-whole`;
      await run(learning(whole, stages, 'seconds: 3600'));
      const timed = `${name.replaceAll(' ', '-')}-timed`;
      await run(learning(timed, stages, 'seconds: 0.0001, keep: 1000'));
      expect(bytesOf(`${timed}.model`)).toBe(bytesOf(`${whole}.model`));
      const generations = readdirSync(path(timed))
        .filter(found => found.startsWith('gen-'))
        .sort();
      // Some lie between two messages, where a minibatch is unfinished.
      expect(generations.length).toBeGreaterThan(3);
      for (const [i, generation] of generations.entries()) {
        if (i % Math.ceil(generations.length / 5) !== 0) continue;
        const again = `${timed}-${i}`;
        mkdirSync(path(again));
        cpSync(path(`${timed}/${generation}`), path(`${again}/${generation}`), { recursive: true });
        await run(learning(again, stages, 'seconds: 3600'), { resume: true });
        expect(bytesOf(`${again}.model`), generation).toBe(bytesOf(`${whole}.model`));
      }
    },
  );

  it('contains all that was learned from a stream that fell silent, and acknowledges it', async () => {
    const stages = usual('', 'sentences: 8');
    messages.lines = toyRecords(45);
    messages.closed = false;
    messages.acknowledged = 0;
    const stop = new AbortController();
    const written: number[] = [];
    const running = run(learning('silent', stages, 'seconds: 0.3, model: true'), {
      signal: stop.signal,
      events: { onCheckpoint: (_, { sentencesSeen }) => written.push(sentencesSeen) },
    });
    // Five minibatches of eight; five records wait for three more.
    while (written.at(-1) !== 40) await pause(5);
    expect(messages.acknowledged).toBe(40);
    const { run: saved, learner } = readWhole(path('silent'), () => {})!;
    expect(saved!.json.position).toMatchObject({ cursor: 39 });
    expect(learner!.json.sentencesSeen).toBe(40);
    expect(readFileSync(path('silent.model')).length).toBeGreaterThan(100);
    stop.abort();
    await running;
  });
});
