import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const pipeline = toyPipeline(folder);

function checked(checks: string): string {
  const file = join(folder, 'checked.yaml');
  writeFileSync(file, `${readFileSync(pipeline, 'utf8')}checks:\n${checks}`);
  return file;
}

beforeAll(async () => {
  writeFileSync(join(folder, 'gold.ndjson'), `${toyRecords(20).join('\n')}\n`);
  await trainHere(pipeline);
});

describe('tagstream test', () => {
  it('passes where all is right', async () => {
    const file = checked(
      `  - { text: "the dog runs", tags: [DET, NOUN, VERB] }
  - { name: on gold, on: { ndjson: { files: [gold.ndjson] } }, minimum: { accuracy: 99 } }
`,
    );
    const { code, stdout } = await tagstream(['test', file]);
    expect(stdout).toBe(
      'ok    the dog runs\nok    on gold  (accuracy 100.00)\n2 passed, 0 failed\n',
    );
    expect(code).toBe(0);
  });

  it('shows what was expected and what was got, and ends with 1', async () => {
    const file = checked(
      `  - { name: wrong, tokens: [the, dog], tags: [DET, VERB] }
  - { text: "a cat", tags: [DET] }
  - { on: { ndjson: { files: [gold.ndjson] } }, minimum: { accuracy: 100, f1: 50 } }
  - { name: gone, on: { ndjson: { files: [none.ndjson] } }, minimum: { accuracy: 1 } }
  - { tokens: [the], tags: [DET] }
`,
    );
    const { code, stdout } = await tagstream(['test', file]);
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      `FAIL  wrong  (${file}:13)`,
      '      token  expected  got',
      '      the    DET       DET',
      '    > dog    VERB      NOUN',
    ]);
    expect(stdout).toContain('expected 1 tag, got 2 tokens');
    expect(stdout).toContain(
      '      accuracy 100.00, at least 100\n    > f1: the tags of the model mark no spans',
    );
    expect(stdout).toContain('none.ndjson: no such file');
    expect(lines.at(-2)).toBe('1 passed, 4 failed');
  });

  it('prints JSON, of a model that is named', async () => {
    const other = join(folder, 'other.model');
    copyFileSync(join(folder, 'toy.model'), other);
    const file = checked('  - { tokens: [old, dog], tags: [ADJ, ADJ] }\n');
    const { code, stdout } = await tagstream(['test', file, '--json', '--model', other]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      pipeline: file,
      model: other,
      passed: 0,
      failed: 1,
      checks: [
        {
          name: 'old dog',
          line: 13,
          passed: false,
          tokens: ['old', 'dog'],
          tags: { expected: ['ADJ', 'ADJ'], got: ['ADJ', 'NOUN'] },
        },
      ],
    });
  });

  it('says where there are no checks, or no model', async () => {
    const none = await tagstream(['test', pipeline]);
    expect(none.code).toBe(78);
    expect(none.stderr).toContain('the pipeline has no checks (add checks:');
    const gone = await tagstream([
      'test',
      checked('  - { text: a, tags: [DET] }\n'),
      '--model',
      'no.model',
    ]);
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain('cannot read no.model');
  });

  it('lets validate look for the data of checks, and train pass over them', async () => {
    const file = checked(
      '  - { on: { ndjson: { files: [gone.ndjson] } }, minimum: { accuracy: 1 } }\n',
    );
    const valid = await tagstream(['validate', file]);
    expect(valid.stderr).toContain('gone.ndjson does not exist');
    expect((await tagstream(['train', file])).code).toBe(0);
  });
});
