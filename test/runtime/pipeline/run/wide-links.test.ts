import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { mostLabels } from '../../../../src/engine/features/links/link-encoder.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();
const place = (name: string) => join(folder, name);
const dead = place('dead.ndjson');

const triple = (tokens: string[], tags: string[]) =>
  JSON.stringify({ tokens, tags, links: [[0, 1, 2, 'one']] });
const good = [
  triple(['red', 'w', 'w'], ['on', 'off', 'off']),
  triple(['w', 'red', 'w'], ['off', 'on', 'mid']),
  JSON.stringify({ tokens: ['a', 'b', 'c'], tags: ['x', 'y', 'z'] }),
];
const eight = Array.from({ length: 8 }, (_, t) => t);
/** A link of eight tokens: with 5 labels and more it is too large, with its own two it is not. */
const wide = JSON.stringify({
  tokens: eight.map(t => `w${t}`),
  tags: eight.map(t => (t === 0 ? 'on' : 'off')),
  links: [[...eight, 'all']],
});
const problem = 'a link "all" of 8 tokens has';

const pipeline = (rest: string) => `version: 1
name: links
source: { ndjson: { files: [in.ndjson] } }
stages:
  - featurize: { templates: ["U0:%x[0,0]"] }
  - batch: { sentences: 2 }
  - contribute: { loss: log }
${rest}
model: { file: out.model, structure: graph }
`;
const trains = pipeline('  - optimize: { lbfgs: { l2: 0.1 } }\ntrain: { epochs: 3 }');
const learns = pipeline('  - optimize: { sgd: { eta0: 0.1 } }\ntrain: { corpusSize: 10 }');

beforeAll(async () => {
  writeFileSync(place('p.yaml'), trains);
  writeFileSync(place('in.ndjson'), `${good.join('\n')}\n`);
  const trained = await tagstream(['train', place('p.yaml'), '--model', place('good.model')]);
  expect(trained.code).toBe(0);
});

/** The dead letters that a command leaves behind. */
function letters(): { line: number; code: string; error: string; raw: string }[] {
  const text = existsSync(dead) ? readFileSync(dead, 'utf8') : '';
  rmSync(dead, { force: true });
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
}

describe('a record with a link that is too large', () => {
  it.each([
    ['first', [wide, ...good], 1],
    ['in the middle', [...good.slice(0, 2), wide, good[2]!], 3],
    ['last', [...good, wide], 4],
  ])('is rejected in training, be it %s', { tags: 'slow' }, async (_, lines, line) => {
    writeFileSync(place('p.yaml'), trains);
    writeFileSync(place('in.ndjson'), `${lines.join('\n')}\n`);
    const train = ['train', place('p.yaml'), '--force'];
    const kept = await tagstream([...train, '--dead-letter', dead]);
    expect([kept.code, kept.stderr]).toEqual([
      0,
      expect.stringMatching(/1 bad record \(1 too-large\)/),
    ]);
    const [letter, ...others] = letters();
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ line, code: 'too-large', raw: wide });
    expect(letter!.error).toMatch(problem);
    // What is left of the corpus is trained on.
    expect(kept.stderr).toMatch(/trained on 9 sentences/);
    const skipped = await tagstream([...train, '--on-bad', 'skip']);
    expect([skipped.code, letters()]).toEqual([0, []]);
    const strict = await tagstream([...train, '--strict']);
    expect([strict.code, strict.stderr]).toEqual([
      1,
      expect.stringMatching(`in.ndjson:${line}: ${problem}`),
    ]);
  });

  it.each([
    ['in blocks', []],
    ['in threads', ['--workers', '2']],
    ['record by record', ['--limit', '9']],
    ['with probabilities', ['--marginals']],
  ])('is rejected in tagging, %s', async (_, options) => {
    const stdin = `${good[0]}\n${wide}\n${good[1]}\n`;
    const command = ['tag', '--model', place('good.model'), '--dead-letter', dead, ...options];
    const { code, stdout, stderr } = await tagstream(command, { stdin });
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 2]);
    expect(stderr).toMatch(/1 bad record \(1 too-large\)/);
    expect(letters()).toMatchObject([{ line: 2, code: 'too-large', raw: wide }]);
  });

  it('is rejected by a pipeline that tags, by an evaluation and by a tagger', async () => {
    writeFileSync(place('in.ndjson'), `${good[0]}\n${wide}\n${good[1]}\n`);
    writeFileSync(
      place('tags.yaml'),
      `version: 1
name: tags
source: { ndjson: { files: [in.ndjson] } }
stages: [tokenize, { featurize: { model: good.model } }, batch, tag]
deadLetters: { default: skip, policies: { too-large: dead-letter }, file: dead.ndjson }
sink: { file: out.ndjson }
`,
    );
    const run = await tagstream(['run', place('tags.yaml')]);
    expect([run.code, run.stderr]).toEqual([0, expect.stringMatching(/1 too-large/)]);
    expect(letters()).toMatchObject([{ line: 2, code: 'too-large', raw: wide }]);
    const evaluated = await tagstream([
      ...['eval', place('in.ndjson'), '--model', place('good.model')],
    ]);
    expect([evaluated.code, evaluated.stderr]).toEqual([1, expect.stringMatching(problem)]);
    const tagger = new Tagger(readModel(readFileSync(place('good.model'))));
    const analyze = () =>
      tagger.analyze(
        eight.map(t => `w${t}`),
        {},
        { links: [[...eight, 'all']] as never },
      );
    expect(analyze).toThrow(expect.objectContaining({ code: 'too-large' }));
  });

  it('does not end a stream, where nothing is learned from links of three tokens', async () => {
    writeFileSync(place('p.yaml'), learns);
    writeFileSync(place('in.ndjson'), `${good[2]}\n${good[0]}\n${good[2]}\n`);
    const run = await tagstream(['run', place('p.yaml'), '--force', '--dead-letter', dead]);
    expect([run.code, run.stderr]).toEqual([0, expect.stringMatching(/trained on 2 sentences/)]);
    const [letter] = letters();
    expect(letter).toMatchObject({ line: 2, code: 'wrong-shape' });
    expect(letter!.error).toMatch(/"one" of 3 tokens cannot be learned from on a stream/);
  });
});

describe('mostLabels', () => {
  it.each([
    ['one of 3 tokens', [3], 322],
    ['one of 4 tokens', [4], 64],
    ['one of 5 tokens', [5, 2], 16],
    ['one of 8 tokens', [8], 4],
    ['a hundred of 3 tokens', Array.from({ length: 100 }, () => 3), 69],
    ['two of 2 tokens', [2, 2], Number.POSITIVE_INFINITY],
  ])('of links: %s', (_, sizes, most) => {
    expect(mostLabels(sizes)).toBe(most);
  });
});
