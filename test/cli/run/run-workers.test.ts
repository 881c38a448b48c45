import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const input = join(folder, 'input.ndjson');

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  // Some blocks of the usual size.
  const lines = toyRecords(6000, false).flatMap((line, i) => {
    const bad = i % 1000 === 500 ? ['{"id":', ''] : [];
    return [...bad, line.replace('{', `{"note": "é😀 ${'-'.repeat(i % 60)}",`)];
  });
  writeFileSync(input, lines.join('\n'));
});

interface Chosen {
  readonly source?: string;
  readonly tag?: string;
  readonly more?: string;
  readonly first?: string;
}

let count = 0;

/** A run of a pipeline that only tags. */
function run(
  { source = 'files: [input.ndjson]', tag = '{}', more = '', first = '' }: Chosen,
  ...given: readonly string[]
) {
  count += 1;
  const file = join(folder, `tagging-${count}.yaml`);
  const text = `version: 1
name: tagging
source: { ndjson: { ${source} } }
stages:
${first}  - featurize: { model: toy.model }
  - batch: {}
  - tag: ${tag}
${more}`;
  writeFileSync(file, text);
  return tagstream(['run', file, ...given], { cwd: folder });
}

describe('tagstream run --workers, where a pipeline only tags', () => {
  for (const { rows, tags } of everyNth<[string, Chosen]>(3, [
    ['as it is', {}],
    [
      'with further results, and a tokenizer of its own',
      {
        tag: '{ marginals: true, nbest: 2, scores: true, modelVersion: true }',
        first: '  - tokenize: { tokenizer: whitespace, sentences: false }\n',
      },
    ],
    ['with bad records in their places', { more: 'deadLetters: { default: pass }\n' }],
  ])) {
    it.each(rows)('writes the same for any number of them: %s', { tags }, async (_, chosen) => {
      const alone = await run(chosen);
      expect(alone).toMatchObject({ code: 0 });
      expect(alone.stdout.split('\n').length).toBeGreaterThan(6000);
      expect(alone.stderr).toContain('6 bad records (6 not-json)');
      expect(alone.stderr).toContain('6 blank lines were skipped');
      expect(await run(chosen, '--workers', '2')).toEqual(alone);
      expect(await run(chosen, '--workers', '1')).toEqual(alone);
    });
  }

  it('writes what tag writes, where the pipeline tokenizes as the model does', async () => {
    const [{ stdout }, tagged] = await Promise.all([
      run({ first: '  - tokenize: {}\n' }, '--workers', '2'),
      tagstream(['tag', '--model', join(folder, 'toy.model'), input]),
    ]);
    expect(stdout).toBe(tagged.stdout);
  });

  it('resumes from checkpoints that are written by seconds', { tags: 'slow' }, async () => {
    const more = `  - checkpoint: { dir: steps, seconds: 1000 }\nsink: { file: out.ndjson }\n`;
    const { stdout } = await run({});
    const limited = await run({ more }, '--workers', '2', '--limit', '700');
    expect(limited.code, limited.stderr).toBe(0);
    const resumed = await run({ more }, '--workers', '2', '--resume');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toMatch(/resumed after \S*input\.ndjson:70\d/);
    expect(readFileSync(join(folder, 'out.ndjson'), 'utf8')).toBe(stdout);
  });

  for (const { rows, tags } of everyNth<[string, Chosen, string]>(3, [
    ['a limit in the file', { source: 'files: [input.ndjson], limit: 5' }, 'part of its records'],
    ['a sink that selects', { more: 'sink: { only: unlabelled }\n' }, 'part of the records'],
    [
      'checkpoints by sentences',
      { more: '  - checkpoint: { dir: counted, sentences: 10 }\nsink: { file: counted.ndjson }\n' },
      'checkpoints by sentences',
    ],
  ])) {
    it.each(rows)('refuses them with %s', { tags }, async (_, chosen, message) => {
      const refused = await run(chosen, '--workers', '2');
      expect(refused).toMatchObject({ code: 78, stdout: '' });
      expect(refused.stderr).toContain(`several workers cannot be combined with `);
      expect(refused.stderr).toContain(message);
    });
  }

  it('refuses numbers that are none, and threads that train where nothing is trained', {
    tags: 'slow',
  }, async () => {
    const [none, hogwild, train] = await Promise.all([
      run({}, '--workers', '0'),
      run({}, '--mode', 'hogwild'),
      tagstream(['train', join(folder, 'tagging-1.yaml'), '--workers', '2'], { cwd: folder }),
    ]);
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('--workers 0 is not a number of workers');
    expect(hogwild.stderr).toContain('there is no stage optimize');
    expect(train.stderr).toContain('the pipeline does not train a model');
  });
});
