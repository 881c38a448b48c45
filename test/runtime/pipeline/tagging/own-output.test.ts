import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import { parsePipeline, runPipeline } from '../../../../src/index.js';
import { toyModelBytes } from './toy-tagger.js';

const folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('leaves a stream what it was given, which may look at it later', async () => {
  const file = join(folder, 'records.ndjson');
  const record = (_: unknown, id: number) => JSON.stringify({ id, text: 'The dog runs. A dog.' });
  writeFileSync(file, Array.from({ length: 20_000 }, record).join('\n'));
  writeFileSync(join(folder, 'toy.model'), new Uint8Array(toyModelBytes()));
  const text = `version: 1
name: kept
source: { ndjson: { files: [records.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { model: toy.model }
  - batch: {}
  - tag: {}
`;
  const stdout = new PassThrough();
  const chunks = stdout.toArray();
  await runPipeline(parsePipeline(text, join(folder, 'kept.yaml')), { stdout });
  stdout.end();
  const lines = Buffer.concat(await chunks)
    .toString()
    .trimEnd()
    .split('\n');
  const ids = lines.map(line => JSON.parse(line).id as number);
  expect(ids).toEqual(Array.from({ length: 20_000 }, (_, id) => id));
});
