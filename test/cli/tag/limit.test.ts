import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { limitOption } from '../../../src/cli/options/record-options.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const pipeline = toyPipeline(folder, 40);
const model = join(folder, 'toy.model');
const stdin = `${toyRecords(30, false).join('\n')}\n`;
const ids = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { id: string }).id);

beforeAll(async () => {
  await trainHere(pipeline);
});

describe('--limit', () => {
  it('trains on the first records alone, and the smaller of two limits counts', async () => {
    const other = join(folder, 'less.model');
    const given = ['train', pipeline, '--json', '--model', other, '--limit', '7'];
    expect(JSON.parse((await tagstream(given)).stdout)).toMatchObject({ sentencesSeen: 42 });
    const limited = await tagstream([...given, '--force', '--set', 'source.ndjson.limit=5']);
    expect(JSON.parse(limited.stdout)).toMatchObject({ sentencesSeen: 30 });
  });

  it('tags the first records alone, with any number of workers', async () => {
    for (const workers of ['1', '2']) {
      const given = ['tag', '--model', model, '--limit', '3', '--workers', workers];
      const { stdout, code } = await tagstream(given, { stdin });
      expect(code).toBe(0);
      expect(ids(stdout)).toEqual(['0', '1', '2']);
    }
  });

  it('ends an input that continues', async () => {
    const endless = `${stdin}${'{"tokens":["a"]}\n'.repeat(200_000)}`;
    const { stdout, code } = await tagstream(['tag', '--model', model, '--limit', '1'], {
      stdin: endless,
    });
    expect(code).toBe(0);
    expect(ids(stdout)).toEqual(['0']);
  });

  it('lets a run continue with what comes after, as after an input that has grown', async () => {
    const out = join(folder, 'out.ndjson');
    const input = join(folder, 'train.ndjson');
    const given = ['tag', '--model', model, '--out', out, '--checkpoint', join(folder, 'p'), input];
    expect((await tagstream([...given, '--limit', '4'])).code).toBe(0);
    expect(ids(readFileSync(out, 'utf8'))).toEqual(['0', '1', '2', '3']);
    const more = await tagstream([...given, '--resume']);
    expect(more).toMatchObject({ code: 0 });
    expect(ids(readFileSync(out, 'utf8'))).toEqual(Array.from({ length: 40 }, (_, i) => String(i)));
  });

  it('is refused where it is not a number of records, and with --resume', async () => {
    for (const wrong of [0, -1, 1.5, Number.NaN]) {
      expect(() => limitOption.limit.coerce(wrong)).toThrow(`--limit ${wrong} is not a number of`);
    }
    const [refused, both] = await Promise.all([
      tagstream(['tag', '--model', model, '--limit', 'x'], { stdin }),
      tagstream(['train', pipeline, '--limit', '3', '--resume']),
    ]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('is not a number of records');
    expect(both.code).toBe(2);
    expect(both.stderr).toContain('--limit cannot be combined with --resume');
  });
});

describe('--dry-run', () => {
  it('says what would be done, as text or JSON, and does nothing', async () => {
    const other = join(folder, 'dry.model');
    const { code, stdout } = await tagstream(['train', pipeline, '--dry-run', '--model', other]);
    expect(code).toBe(0);
    expect(stdout).toContain('pipeline toy: nothing is written\n');
    expect(stdout).toContain('stage   {"featurize":{"templates":"3 lines"');
    expect(stdout).toContain(`would write model to ${other}\n`);
    expect(stdout).toMatch(
      /the first 40 records: 40 sentences, \d+ tokens, 40 labelled sentences, 0 bad records/,
    );
    expect(stdout).toMatch(/model {3}4 labels \(DET, NOUN, VERB, ADJ\), \d+ features/);
    const json = await tagstream(['run', pipeline, '--dry-run', '--json', '--limit', '6']);
    expect(JSON.parse(json.stdout)).toMatchObject({ records: 6, writes: { model } });
    expect(existsSync(other)).toBe(false);
    const bad = join(folder, 'bad.ndjson');
    writeFileSync(bad, `no record\n${toyRecords(3).join('\n')}\n`);
    const badly = ['run', pipeline, '--dry-run', '--set', `source.ndjson.files=[${bad}]`];
    const [strict, kept] = await Promise.all([
      tagstream([...badly, '--strict']),
      tagstream([...badly, '--dead-letter', join(folder, 'letters')]),
    ]);
    expect(strict).toMatchObject({ code: 1, stdout: '' });
    expect(kept.stdout).toContain(`would write bad records to ${join(folder, 'letters')}\n`);
    expect(kept.stdout).toContain('1 bad record\n');
    expect(existsSync(join(folder, 'letters'))).toBe(false);
    expect((await tagstream(['run', pipeline, '--dry-run', '--resume'])).code).toBe(2);
  });
});
