// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../../src/entries/pipeline.js';
import { parsePipeline, runPipeline } from '../../../src/index.js';
import { workspace } from '../../cli/commands/workspace.js';
import { EndlessSentences } from '../../faults/memory/endless-sentences.mjs';
import { describeNats, natsServers } from '../server.js';
import { StreamClient } from '../stream-client.js';

describeNats('labels that come later by a subject of their own', () => {
  const servers = natsServers();
  const folder = workspace();
  let client: StreamClient;

  beforeAll(async () => {
    client = await StreamClient.open(servers().url);
  });
  afterAll(() => client.close());

  it('are joined once each, stopped and resumed too', async () => {
    const source = new EndlessSentences({ seed: 3, known: 100 });
    const made = Array.from({ length: 600 }, () => source.next());
    const labels = made.flatMap(({ tags }, i) =>
      i % 10 === 0 ? [] : Array(i % 10 === 1 ? 2 : 1).fill(JSON.stringify({ id: i, tags })),
    ) as string[];
    await client.create('RECORDS', 'records');
    await client.create('LABELS', 'labels');
    await client.put('records', [JSON.stringify(source.next())]);
    await client.put(
      'records',
      made.map(({ tokens }, id) => JSON.stringify({ id, tokens })),
    );
    await client.put('labels', labels);
    const from = (stream: string) =>
      `ndjson: { from: { nats: { servers: "${servers().url}", stream: ${stream}, follow: false } } }`;
    const text = `version: 1
name: late
source: { ${from('RECORDS')} }
stages:
  - join: { labels: { ${from('LABELS')} } }
  - featurize: { templates: ["U0:%x[0,0]", "B"] }
  - batch
  - contribute
  - optimize: { sgd: { eta0: 0.1 } }
  - checkpoint: { dir: checkpoints, sentences: 50 }
  - tag
train: { corpusSize: 1000 }
model: late.model
sink: { file: out.ndjson }
`;
    const run = (resume: boolean, stopAt = Number.POSITIVE_INFINITY): Promise<RunResult> => {
      const controller = new AbortController();
      return runPipeline(parsePipeline(text, join(folder, 'late.yaml')), {
        resume,
        signal: controller.signal,
        events: {
          onStep: ({ step }) => {
            if (step >= stopAt) controller.abort();
          },
        },
      });
    };
    const first = await run(false, 300);
    expect(first.stopped).toBe(true);
    const last = await run(true);
    expect(last.labels).toEqual({
      ...{ joined: 540, doubled: 60, unmatched: 0, expired: 0, waiting: 60 },
      ...{ contradicted: 0, contradictions: [] },
    });
    expect(last.sentencesSeen).toBe(541);
    const ids = readFileSync(join(folder, 'out.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { id?: number }).id ?? -1);
    expect(ids).toEqual(Array.from({ length: 601 }, (_, i) => i - 1));
  });
});
