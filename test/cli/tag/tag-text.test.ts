import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const raw = 'It "rains".\n\nStay \\ in, 😀 Ann!\r\n'.repeat(300);
const records = `${raw
  .split(/\r?\n/)
  .filter(line => line !== '')
  .map(text => JSON.stringify({ text }))
  .join('\n')}\n`;

beforeAll(async () => {
  await trainHere(toyPipeline(folder, 40));
});

describe('tag with plain text', () => {
  it('takes what is not JSON for text, says so, and gives what the same texts in JSON give', async () => {
    const wanted = await tagstream(['tag', '--model', model], { stdin: records });
    const found = await tagstream(['tag', '--model', model], { stdin: raw });
    expect(found.code).toBe(0);
    expect(found.stdout).toBe(wanted.stdout);
    expect(found.stderr).toContain('<stdin> reads as plain text, one record per line (--format');
  });

  it('reads files so, packed or not, with any number of workers', { tags: 'slow' }, async () => {
    const wanted = await tagstream(['tag', '--model', model], { stdin: records });
    const files = [join(folder, 'raw.txt'), join(folder, 'raw.txt.gz')];
    writeFileSync(files[0]!, raw);
    writeFileSync(files[1]!, gzipSync(raw));
    for (const file of files) {
      for (const workers of ['1', '2']) {
        const found = await tagstream(['tag', '--model', model, '--workers', workers, file]);
        expect(found.stdout).toBe(wanted.stdout);
      }
    }
  });

  it('takes what begins with a word in brackets for text', async () => {
    const stdin = '[Music] Hello there.\n[1] Bye.\n';
    const { stdout, stderr } = await tagstream(['tag', '--model', model], { stdin });
    expect(stderr).toContain('<stdin> reads as plain text');
    expect(JSON.parse(stdout.split('\n')[0]!).text).toBe('[Music] Hello there.');
  });

  it('takes sentences for text where the model was trained on columns with tabs', async () => {
    const rows = toyRecords(40).map(line => {
      const { tokens, tags } = JSON.parse(line) as { tokens: string[]; tags: string[] };
      return `${tokens.map((token, t) => `${token}\t${tags[t]}`).join('\n')}\n\n`;
    });
    const tabs = join(folder, 'tabs');
    mkdirSync(tabs);
    const pipeline = toyPipeline(tabs, 40);
    writeFileSync(join(tabs, 'train.tsv'), rows.join(''));
    const source = 'conll: { files: [train.tsv], columns: [form, tag], separator: tab }';
    const text = readFileSync(pipeline, 'utf8').replace(/ndjson: \{[^}]*\}/, source);
    writeFileSync(pipeline, text);
    await trainHere(pipeline);
    const tag = ['tag', '--model', join(tabs, 'toy.model')];
    const found = await tagstream(tag, { stdin: 'the dog runs.\n' });
    expect(found.stderr).toContain('<stdin> reads as plain text');
    expect(JSON.parse(found.stdout).tokens).toEqual(['the', 'dog', 'runs', '.']);
    const columns = await tagstream(tag, { stdin: 'the\ndog\nruns\n' });
    expect(columns.stdout).toBe('the\tDET\ndog\tNOUN\nruns\tVERB\n\n');
    const many = 'the\ndog\nruns\n\n'.repeat(8);
    const stdin = `${many}the\tDET\tx\n\n${many}`;
    const broken = await tagstream([...tag, '--on-bad', 'skip'], { stdin });
    expect(broken.stdout).toBe('the\tDET\ndog\tNOUN\nruns\tVERB\n\n'.repeat(16));
    expect(broken.stderr).toContain('<stdin>:33: 3 columns in a row, expected 2');
    expect((await tagstream(tag, { stdin })).stderr).toContain('--on-bad skip to skip');
  });

  it('does not guess where a format is named, and is silent then', async () => {
    const named = ['tag', '--model', model, '--format'];
    const asText = await tagstream([...named, 'text'], { stdin: '{"text": 1}\n' });
    expect(asText.stderr).toBe('');
    expect(JSON.parse(asText.stdout).text).toBe('{"text": 1}');
    const asJson = await tagstream([...named, 'ndjson'], { stdin: 'It rains.\n' });
    expect(asJson.stderr).toContain('not valid JSON');
  });

  it('makes one record of a file where that is wanted', async () => {
    const file = join(folder, 'chapter.txt');
    writeFileSync(file, 'It rains.\nStay in!\n');
    const given = ['tag', '--model', model, '--format', 'text:{records: file}', file];
    const { stdout } = await tagstream(given);
    expect(JSON.parse(stdout)).toMatchObject({
      text: 'It rains.\nStay in!',
      sentences: [
        [0, 3],
        [3, 6],
      ],
    });
  });

  it('reads a JSON array of records as it reads their lines', { tags: 'slow' }, async () => {
    const list = join(folder, 'list.json');
    writeFileSync(list, `[\n${records.trim().split('\n').join(',\n')}\n]\n`);
    const wanted = await tagstream(['tag', '--model', model], { stdin: records });
    for (const workers of ['1', '2']) {
      const found = await tagstream(['tag', '--model', model, '--workers', workers, list]);
      expect(found.stderr).toBe('');
      expect(found.stdout.replace(/^ +| +$/gm, '')).toBe(wanted.stdout);
    }
    const piped = await tagstream(['tag', '--model', model], { stdin: readFileSync(list) });
    expect(piped.stdout.replace(/^ +| +$/gm, '')).toBe(wanted.stdout);
  });
});
