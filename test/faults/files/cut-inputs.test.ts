import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../../cli/commands/run-command.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const records = toyRecords(60);
const packed = gzipSync(`${records.join('\n')}\n`);
const changed = Buffer.from(packed);
changed[packed.length - 6]! ^= 1;
const array = `[\n${records.join(',\n')}\n]\n`;

/** Inputs that are not whole, by name: their bytes, the records that are, and what is wrong. */
const inputs: readonly (readonly [string, Uint8Array | string, number, string])[] = [
  ['end.ndjson.gz', packed.subarray(0, -5), 60, 'the gzip data is cut off after'],
  ['sum.ndjson.gz', changed, 60, 'the gzip data is damaged: its checksum'],
  ['more.ndjson.gz', Buffer.concat([packed, Buffer.from('more')]), 60, 'is not gzip'],
  ['open.json', array.slice(0, -3), 60, 'it has no closing bracket after item 60'],
  ['comma.json', array.slice(0, array.indexOf(records[40]!)), 40, 'bracket after item 40'],
  ['within.json', array.slice(0, array.indexOf(records[40]!) + 9), 40, 'it ends within item 41'],
  ['both.json.gz', gzipSync(array).subarray(0, -5), 60, 'the gzip data is cut off after'],
];

beforeAll(async () => {
  toyPipeline(folder);
  expect(await tagstream(['train', 'toy.yaml'], { cwd: folder })).toMatchObject({ code: 0 });
  for (const [name, bytes] of inputs) writeFileSync(join(folder, name), bytes);
});

describe.each(inputs)('%s', (name, bytes, count, problem) => {
  const lines = (text: string) =>
    text.split('\n').filter(line => line.trim().startsWith('{')).length;

  it('is tagged and converted up to its last whole record, and is an error', async () => {
    const commands = [
      ['tag', '--model', 'toy.model', name],
      ['tag', '--model', 'toy.model', '--limit', '1000', name],
      ['tag', '--model', 'toy.model', '--workers', '2', name],
      ['convert', '--from', 'ndjson', '--to', 'spans', name],
      ['tag', '--model', 'toy.model'],
    ];
    for (const command of commands) {
      const stdin = command.includes(name) ? '' : bytes;
      const { code, stdout, stderr } = await tagstream(command, { cwd: folder, stdin });
      expect([command, code, lines(stdout)]).toEqual([command, 1, count]);
      expect(stderr).toContain(problem);
    }
  });

  it('is an error to whatever counts or learns', { tags: 'slow' }, async () => {
    const commands = [
      ['eval', '--model', 'toy.model', name],
      ['init', name, '--out', 'new.yaml'],
      ['init', 'train.ndjson', name, '--out', 'new.yaml'],
      ['train', 'toy.yaml', '--model', 'new.model', '--set', `source.ndjson.files=[${name}]`],
    ];
    for (const command of commands) {
      const { code, stderr } = await tagstream(command, { cwd: folder });
      expect([command, code]).toEqual([command, 1]);
      expect(stderr).toContain(problem);
    }
    for (const made of ['new.yaml', 'new.model']) {
      expect(existsSync(join(folder, made))).toBe(false);
    }
  });
});
