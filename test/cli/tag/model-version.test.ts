import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentDigest } from '../../../src/formats/files/node-parts.js';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
let id: string;

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  id = contentDigest([readFileSync(model)]).slice('sha256:'.length, 'sha256:'.length + 12);
});

const tag = (stdin: string, ...more: string[]) =>
  tagstream(['tag', '--model', model, ...more], { stdin });

/** Records that are plain, have the field already, or have it in other letters. */
const records = [
  '{"id":"1","tokens":["the","dog"]}',
  '{"id":"2","_model":"other","tokens":["the","dog"],"x":1}',
  '{"id":"3","tokens":["the"],"\\u005fmodel":7}',
  '{"id":"4","text":"the dog","tags":null}',
  '{"id":"5","tokens":["dog"],"model":"mine"}',
].join('\n');

describe('tag --model-version', () => {
  for (const part of everyNth(3, [
    ['in blocks', []],
    ['in workers', ['--workers', '2']],
    ['as a stream', ['--limit', '100']],
  ])) {
    it.each(part.rows)(
      'adds the id of the model to each record, %s',
      { tags: part.tags },
      async (_, more) => {
        const { stdout, stderr } = await tag(records, '--model-version', '--marginals', ...more);
        expect(stderr).toBe('');
        const lines = stdout.trim().split('\n');
        expect(lines[0]).toMatch(
          new RegExp(
            `^{"id":"1","tokens":\\["the","dog"\\],"tags":.*,"marginals":\\[.*\\],"_model":"${id}"}$`,
          ),
        );
        for (const line of lines) {
          expect(JSON.parse(line)._model).toBe(id);
          expect(line.match(/_model|u005fmodel/g)).toHaveLength(1);
        }
        expect(JSON.parse(lines[4]!).model).toBe('mine');
      },
    );
  }

  for (const { rows, tags } of everyNth(2, [
    ['in blocks', []],
    ['as a stream', ['--limit', '100']],
  ])) {
    it.each(rows)(
      'leaves a field of that name alone where it is not asked for, %s',
      { tags },
      async (_, more) => {
        const lines = (await tag(records, ...more)).stdout.trim().split('\n');
        const found = lines.map(line => JSON.parse(line)._model);
        expect(found).toEqual([undefined, 'other', 7, undefined, undefined]);
      },
    );
  }

  it('is the same in a pipeline', async () => {
    const pipeline = join(folder, 'tags.yaml');
    const stages = 'stages: [tokenize, { featurize: { model: toy.model } }, batch, STAGE]';
    const write = (stage: string) =>
      writeFileSync(
        pipeline,
        `version: 1\nname: tags\nsource: { ndjson: {} }\n${stages.replace('STAGE', stage)}\n`,
      );
    write('{ tag: { modelVersion: true } }');
    const asked = await tagstream(['run', pipeline], { stdin: records });
    expect(asked.stdout).toBe((await tag(records, '--model-version')).stdout);
    write('tag');
    const plain = await tagstream(['run', pipeline], { stdin: records });
    expect(plain.stdout).toBe((await tag(records)).stdout);
  });

  for (const part of everyNth(3, [
    [['--output', 'tags'], '--model-version would not be written'],
    [
      ['--format', 'conll'],
      '--model-version would not be written: conll holds only tags and their',
    ],
    [['--pretty'], '--pretty cannot be combined with --model-version'],
  ])) {
    it.each(part.rows)(
      'is refused where no record can hold it: %j',
      { tags: part.tags },
      async (more, message) => {
        const { code, stderr } = await tag('the X\n\n', '--model-version', ...more);
        expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      },
    );
  }
});
