import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Fault, faults } from '../../../src/formats/bad-records/bad-record.js';
import { type Reason, reasons } from '../../../src/formats/bad-records/reasons.js';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const pageFile = resolve(root, 'src/formats/bad-records/reasons.md');
const all = Object.entries(reasons) as [Fault, Reason][];

/** Examples that are shown otherwise than by tagging NDJSON. */
const commands: Partial<Record<Fault, readonly string[]>> = {
  'empty-sentence': ['convert', '--to', 'conll'],
  'unknown-label': ['run', 'stream.yaml'],
  unmatched: ['run', 'late.yaml'],
};

/** The page, made from the texts in the code. */
function writtenPage(): string {
  const sections = all.map(([code, { meaning, example, fix }]) =>
    [
      `## ${code}`,
      meaning,
      ...(example === undefined ? [] : [`    ${example}`]),
      `**What to do:** ${fix}`,
    ].join('\n\n'),
  );
  const [head] = readFileSync(pageFile, 'utf8').split(/^(?=## )/m);
  return `${head}${sections.join('\n\n')}\n`;
}

describe('the page of reasons', () => {
  it('has a heading, the meaning, an example and the fix of each code', async () => {
    expect(all.map(([code]) => code)).toEqual(Object.keys(faults));
    await expect(writtenPage()).toMatchFileSnapshot(pageFile);
  });

  it('is linked from the guides', () => {
    const guides = readFileSync(resolve(root, 'pipelines/guides.md'), 'utf8');
    expect(guides).toContain('(../src/formats/bad-records/reasons.md)');
  });
});

describe('the example of a reason', () => {
  const model = join(folder, 'sized.model');
  beforeAll(async () => {
    const record = (tokens: string[], tags: string[], size: number[]) =>
      JSON.stringify({ tokens, tags, columns: { size } });
    const records = [
      record(['Anna', 'lives'], ['B-PER', 'O'], [4, 5]),
      record(['in', 'Oslo'], ['O', 'B-LOC'], [2, 4]),
    ];
    writeFileSync(join(folder, 'train.ndjson'), `${records.join('\n')}\n`);
    writeFileSync(
      join(folder, 'sized.yaml'),
      `version: 1
name: sized
source: { ndjson: { files: [train.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "U01:%v[0,size]", "B"] }
  - batch: { sentences: 2 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2 } }
train: { epochs: 2, seed: 7 }
model: sized.model
`,
    );
    const stream = `version: 1
name: stream
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1 } }
  - tag: {}
train: { corpusSize: 100 }
`;
    writeFileSync(join(folder, 'stream.yaml'), stream.replace('"B"]', '"B"], encode: bioes'));
    // The labels have a file of their own.
    const labels = 'stages:\n  - join: { labels: { ndjson: { files: [unmatched.txt] } } }';
    writeFileSync(join(folder, 'late.yaml'), stream.replace('stages:', labels));
    await trainHere(join(folder, 'sized.yaml'));
  });

  const withExample = all.filter(([, { example }]) => example !== undefined);
  it.each(withExample)('%s is rejected for it', async (code, { example }) => {
    const file = join(folder, `${code}.txt`);
    writeFileSync(file, Buffer.from(`${example}\n`, code === 'invalid-utf8' ? 'latin1' : 'utf8'));
    const bad = join(folder, `${code}.bad`);
    const [command = 'tag', ...more] = commands[code] ?? [
      'tag',
      '--format',
      'ndjson',
      '--model',
      model,
    ];
    const inputs = command === 'run' ? [] : [file];
    const labelled = code === 'unmatched' ? '{"tokens": ["Anna"], "tags": ["O"]}' : example;
    await tagstream([command, ...more, ...inputs, '--dead-letter', bad], {
      cwd: folder,
      stdin: command === 'run' ? `${labelled}\n` : '',
    });
    expect(JSON.parse(readFileSync(bad, 'utf8').split('\n')[0]!).code).toBe(code);
  });
});
