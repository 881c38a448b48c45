import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();
const tag = ['tag', '--model', join(folder, 'toy.model')];
const pipeline = `version: 1
name: tagging
source: { ndjson: { files: [all-bad.ndjson] } }
stages: [tokenize, { featurize: { model: toy.model } }, batch, tag]
deadLetters: { default: dead-letter, file: dead.ndjson }
`;

beforeAll(() => trainHere(toyPipeline(folder)));

describe('every record is rejected', () => {
  const bad = '{no record\n'.repeat(7);
  const said = /tagstream: 7 bad records.*\ntagstream: every record was rejected\n/;

  for (const { rows, tags } of everyNth(4, [
    ['tag', tag],
    ['tag in threads', [...tag, '--workers', '2']],
    ['tag record by record', [...tag, '--limit', '9']],
    ['convert', ['convert', '--from', 'ndjson', '--to', 'conll']],
  ])) {
    it.each(rows)('%s ends with 1', { tags }, async (_, command) => {
      const { code, stdout, stderr } = await tagstream(command, { stdin: bad });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(said);
    });
  }

  it('a pipeline ends with 1, with a dead-letter file too', async () => {
    writeFileSync(join(folder, 'all-bad.ndjson'), bad);
    writeFileSync(join(folder, 'all-bad.yaml'), pipeline);
    const outcome = await tagstream(['run', join(folder, 'all-bad.yaml')]);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(said);
    const kept = readFileSync(join(folder, 'dead.ndjson'), 'utf8').trimEnd().split('\n');
    expect(kept).toHaveLength(7);
  });

  it('one good record is enough for 0, and so is an empty input', async () => {
    const some = await tagstream(tag, { stdin: `${bad}{"tokens":["the"]}\n` });
    expect([some.code, some.stdout.split('\n').length]).toEqual([0, 2]);
    expect((await tagstream(tag, { stdin: '\n\n' })).code).toBe(0);
  });
});
