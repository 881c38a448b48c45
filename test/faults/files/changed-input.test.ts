import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileCheckpointStore } from '../../../src/runtime/io/checkpoints/file-checkpoint-store.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { everyNth } from '../../house/long-forms.js';

const folder = workspace();
const data = join(folder, 'train.ndjson');
const checkpoints = join(folder, 'checkpoints');
const stage = '  - checkpoint: { dir: checkpoints, sentences: 40 }\n';

/** Sentences learned from in all. */
async function run(resume: boolean, set: string[]): Promise<number> {
  const deadLetters = new DeadLetters({ policy: 'fail' });
  const pipeline = loadPipeline(join(folder, 'toy.yaml'), { set });
  return (await runPipeline(pipeline, { resume, deadLetters })).sentencesSeen;
}

const stored = () =>
  JSON.stringify(new FileCheckpointStore(checkpoints).readNewest(() => undefined)!.run);

/** What is done to the input between two runs, and what the second one does. */
type Row = readonly [what: string, change: () => void, expected: number | RegExp];
const more = `${toyRecords(20).join('\n')}\n`;

describe('a stream whose file, between two runs,', () => {
  const stream = ['train={seed: 7, corpusSize: 60}'];
  const rows: Row[] = [
    ['stays as it is: nothing is learned twice', () => undefined, 60],
    ['is appended to: the run continues with what is new', () => appendFileSync(data, more), 80],
    [
      'is cut below the position: error checkpoint',
      () => truncateSync(data, 900),
      /train\.ndjson:60: the input has 900 bytes, but the run had already read \d+/,
    ],
    ['is emptied: error checkpoint', () => truncateSync(data), /the input has 0 bytes/],
    [
      'is replaced by one as long: error checkpoint',
      () => writeFileSync(data, readFileSync(data, 'utf8').replaceAll('dog', 'god')),
      /the input before byte \d+ differs from what the run had read/,
    ],
    [
      'is replaced by a longer one: error checkpoint',
      () => writeFileSync(data, toyRecords(200).slice(80).join('\n')),
      /the input before byte \d+ differs from what the run had read/,
    ],
    ['is gone: error file', () => renameSync(data, `${data}.old`), /does not exist/],
  ];

  beforeEach(async () => {
    rmSync(checkpoints, { recursive: true, force: true });
    toyPipeline(folder, 60, stage);
    expect(await run(false, stream)).toBe(60);
  });

  for (const part of everyNth(5, rows)) {
    it.each(part.rows)('%s', { tags: part.tags }, async (_, change, expected) => {
      const before = stored();
      change();
      if (typeof expected === 'number') {
        expect(await run(true, stream)).toBe(expected);
        return;
      }
      await expect(run(true, stream)).rejects.toThrow(expected);
      expect(stored()).toBe(before);
    });
  }

  it('is in another place: error file, no silent start from the beginning', async () => {
    const store = new FileCheckpointStore(checkpoints);
    const parts = store.readNewest(() => undefined)!;
    const position = { ...(parts.run!.json.position as object), source: '/elsewhere.ndjson' };
    const json = { ...parts.run!.json, position, fingerprint: null };
    store.write({ ...parts, run: { json, arrays: {} } });
    await expect(run(true, stream)).rejects.toMatchObject({ code: 'file' });
  });
});

describe('a corpus whose file, between two runs,', () => {
  beforeEach(async () => {
    rmSync(checkpoints, { recursive: true, force: true });
    toyPipeline(folder, 60, stage);
    expect(await run(false, [])).toBe(360);
  });

  for (const { rows, tags } of everyNth(2, [
    ['is appended to', () => appendFileSync(data, more), /has 80 labelled sentences.*had 60/],
    ['loses its end', () => writeFileSync(data, toyRecords(50).join('\n')), /has 50 .*had 60/],
  ])) {
    it.each(rows)('%s: error checkpoint', { tags }, async (_, change, expected) => {
      const before = stored();
      change();
      await expect(run(true, ['train.epochs=9'])).rejects.toThrow(expected);
      expect(stored()).toBe(before);
    });
  }
});
