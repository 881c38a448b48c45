import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'names.model');
const input = join(folder, 'input.ndjson');

/** Words that are names where they had a capital before, and no names elsewhere. */
function records(count: number, labelled: boolean): string {
  const lines = Array.from({ length: count }, (_, i) => {
    const word = `w${(i * 7) % 40}`;
    const name = word.replace('w', 'W');
    const isName = i % 2 === 0;
    const document = String(i);
    const first = {
      document,
      tokens: ['so', isName ? name : word],
      tags: ['O', isName ? 'B-X' : 'O'],
    };
    const second = { document, tokens: [name, 'is'], tags: [isName ? 'B-X' : 'O', 'O'] };
    return [first, second].map(each =>
      JSON.stringify(labelled ? each : { ...each, tags: undefined }),
    );
  });
  return `${lines.flat().join('\n')}\n`;
}

beforeAll(async () => {
  writeFileSync(join(folder, 'train.ndjson'), records(80, true));
  writeFileSync(input, records(4000, false));
  const pipeline = join(folder, 'names.yaml');
  writeFileSync(
    pipeline,
    `version: 1
name: names
source: { ndjson: { files: [train.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { templates: ["U0:%type[0,0]", "U1:%document[0,0,case]", "U2:%document[0,0,case]/%first[0,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
train: { epochs: 20, seed: 1 }
model: names.model
`,
  );
  const { code, stderr } = await tagstream(['train', pipeline]);
  expect(stderr).toContain('model:');
  expect(code).toBe(0);
});

describe('a model that looks at the sentences before', () => {
  it('tags a word by how it was written before', async () => {
    const { stdout } = await tagstream(['tag', '--model', model, '--output', 'tags', input]);
    const tags = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).tags as string[]);
    expect(tags.slice(0, 4)).toEqual([
      ['O', 'B-X'],
      ['B-X', 'O'],
      ['O', 'O'],
      ['O', 'O'],
    ]);
    expect(tags.slice(4)).toEqual(Array.from({ length: 1999 }, () => tags.slice(0, 4)).flat());
  });

  it('writes the same for any number of workers, and as a stream', { tags: 'slow' }, async () => {
    const alone = await tagstream(['tag', '--model', model, input]);
    expect(alone.code).toBe(0);
    for (const more of [
      ['--workers', '2'],
      ['--limit', '8000'],
    ]) {
      expect(await tagstream(['tag', '--model', model, ...more, input])).toEqual(alone);
    }
  });

  it('scores a file with the sentences before', { tags: 'slow' }, async () => {
    const file = join(folder, 'train.ndjson');
    const { stdout } = await tagstream(['eval', file, '--model', model, '--json']);
    expect(JSON.parse(stdout).f1).toBe(100);
  });

  it('tags a sentence that comes alone, as the first of its document', () => {
    const tagger = Tagger.fromBytes(readFileSync(model));
    expect(tagger.tag(['so', 'W3'])).toEqual(['O', 'B-X']);
    expect(tagger.explain(['so', 'W3'])[1]!.tag).toBe('B-X');
  });

  it('refuses checkpoints, as a resumed run would not have these sentences', {
    tags: 'slow',
  }, async () => {
    const given = ['--out', join(folder, 'out'), '--checkpoint', join(folder, 'progress')];
    const { code, stderr } = await tagstream(['tag', '--model', model, ...given, input]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('leave checkpoints out');
  });
});
