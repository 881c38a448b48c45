import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const tag = ['tag', '--model', 'toy.model'];

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  writeFileSync(
    join(folder, 'tags.yaml'),
    `version: 1
name: tags
source: { ndjson: { files: ["-"] } }
stages: [tokenize, { featurize: { model: toy.model } }, { batch: { sentences: 4 } }, tag]
`,
  );
});

const blanks = ['', ' ', ' \t\n', '\u00a0\u3000'];
const tokens = toyRecords(9, false).map(line => (JSON.parse(line) as { tokens: string[] }).tokens);
const texts = tokens.map(each => each.join(' '));
/** Empty texts before, between and after the others, some in a row. */
const mixed = [
  ...blanks,
  ...texts.flatMap((text, i) => [text, blanks[i % blanks.length]!]),
  '',
  '',
];
const lines = (records: readonly object[]) =>
  `${records.map(each => JSON.stringify(each)).join('\n')}\n`;

/** Files of each format, with as many records as `mixed` has. */
const formats: Readonly<Record<string, string>> = {
  ndjson: lines(mixed.map((text, i) => ({ id: i, text, note: { kept: 1.5 } }))),
  tokens: lines(mixed.map(text => ({ tokens: text.trim() === '' ? [] : text.split(' '), x: 1 }))),
  'tokens and gold': lines(
    mixed.map(text => {
      const own = text.trim() === '' ? [] : text.split(' ');
      return { tokens: own, tags: own.map(() => 'NOUN') };
    }),
  ),
  spans: lines(mixed.map(text => ({ text, spans: [] }))),
  doccano: lines(mixed.map(text => ({ id: 7, text, label: [] }))),
  spacy: lines(mixed.map(text => ({ text, entities: [] }))),
  prodigy: lines(mixed.map(text => ({ text, spans: [], answer: 'accept' }))),
  'label-studio': lines(mixed.map((text, id) => ({ id, data: { text }, annotations: [] }))),
};
const foreign = ['spans', 'doccano', 'spacy', 'prodigy', 'label-studio'];

const ways: readonly (readonly string[])[] = [
  [],
  ['--workers', '2'],
  ['--limit', '1000'],
  ['--metrics', '0'],
];
const results: readonly (readonly string[])[] = [
  [],
  ['--output', 'tags'],
  ['--nbest', '3', '--marginals', '--probability', '--scores', '--span-probabilities'],
  ['--marginals=all', '--decoding', 'posterior'],
  ['--ids', 'content'],
];

const recordsIn = (text: string) =>
  // A JSON array has a bracket on its first and last line.
  text
    .trimEnd()
    .split('\n')
    .filter(line => line !== '[' && line !== ']')
    .map(line => JSON.parse(line.replace(/^,/, '')) as Record<string, unknown>);

describe.each(Object.entries(formats))('empty records in %s', (name, stdin) => {
  const format = foreign.includes(name) ? ['--format', name] : [];
  const all = foreign.includes(name) ? [[]] : results;

  it.each(all.map(chosen => [chosen]))(
    'come out, one line for each, whichever way they go: %j',
    { tags: 'slow' },
    async chosen => {
      const outputs: string[] = [];
      // Threads take long to start: they tag each format once, and one of them with all results.
      const isWithThreads = chosen === all[0] || (name === 'tokens' && chosen === results[2]);
      for (const way of ways) {
        if (way.includes('--workers') && !isWithThreads) continue;
        const given = [...tag, ...format, ...chosen, ...way];
        const { code, stdout, stderr } = await tagstream(given, { cwd: folder, stdin });
        expect(code, stderr).toBe(0);
        expect(stderr).not.toContain('bad record');
        outputs.push(stdout);
      }
      for (const output of outputs) expect(output).toBe(outputs[0]);
      const records = recordsIn(outputs[0]!);
      expect(records).toHaveLength(mixed.length);
      if (format.length > 0) return;
      for (const [i, record] of records.entries()) {
        const isEmpty = mixed[i]!.trim() === '';
        if (isEmpty) expect(record.tags).toEqual([]);
        else expect(record.tags).toHaveLength(mixed[i]!.split(' ').length);
      }
    },
  );
});

it('more than a thousand in a row end no run', { tags: 'slow' }, async () => {
  const stdin = '{"text":""}\n'.repeat(3000);
  for (const given of [
    tag,
    [...tag, '--workers', '2'],
    [...tag, '--limit', '9999'],
    ['run', 'tags.yaml'],
  ]) {
    const { code, stdout, stderr } = await tagstream(given, { cwd: folder, stdin });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      '{"text":"","tokens":[],"offsets":[],"sentences":[],"tags":[]}\n'.repeat(3000),
    );
  }
});

it('plain text: blank lines are none, other white space is a record, and so is an empty file', async () => {
  const text = ['--format', 'text'];
  const stdin = 'the dog\n\n  \n\u00a0\nthe cat\n';
  const found = await tagstream([...tag, ...text], { cwd: folder, stdin });
  expect(recordsIn(found.stdout).map(record => record.text)).toEqual([
    'the dog',
    '\u00a0',
    'the cat',
  ]);
  expect(found.stderr).toContain('2 blank lines were skipped');
  const whole = await tagstream([...tag, '--format', 'text:{records: file}'], {
    cwd: folder,
    stdin: ' \n\n',
  });
  expect(recordsIn(whole.stdout).map(({ tokens: own }) => own)).toEqual([[]]);
});

it('pages and terminals show them', async () => {
  for (const shown of [['--pretty'], ['--html', '-']]) {
    const { code, stderr } = await tagstream([...tag, ...shown], {
      cwd: folder,
      stdin: formats.ndjson!,
    });
    expect([code, stderr]).toEqual([0, '']);
  }
});

it.each(['conll', 'conllu', 'slash', 'crfsuite', 'letters'])(
  'columns have no place for them: convert --to %s rejects and counts them',
  async to => {
    const stdin = lines([{ text: '' }, { tokens: ['a'] }, { tokens: [] }]);
    writeFileSync(join(folder, 'some.ndjson'), stdin);
    const { code, stdout, stderr } = await tagstream(['convert', 'some.ndjson', '--to', to], {
      cwd: folder,
    });
    expect(code).toBe(0);
    expect(stderr).toContain('some.ndjson:1: a record without words cannot be written as');
    expect(stderr).toContain('2 bad records (2 empty-sentence)');
    expect(stdout).not.toMatch(/^\n/);
  },
);

it.each([
  [[]],
  [['--set', 'train.workers=2']],
  [['--set', 'stages.featurize.cutoff=2']],
  [['--set', 'stages.batch.sentences=1']],
])(
  'training passes over them, and a model is the same to the byte: %j',
  { tags: 'slow' },
  async more => {
    const nothing = [
      '{"text":""}',
      '{"tokens":[],"tags":[]}',
      '{"text":" ","tokens":[],"tags":[],"weight":2}',
    ];
    const models: Buffer[] = [];
    for (const each of [[], nothing]) {
      const records = toyRecords(60).flatMap((line, i) => (i % 7 === 0 ? [...each, line] : [line]));
      writeFileSync(join(folder, 'learned.ndjson'), `${records.join('\n')}\n`);
      const source = 'source.ndjson.files=[learned.ndjson]';
      const given = ['train', 'toy.yaml', '--model', 'learned.model', '--set', source, ...more];
      expect(await tagstream(given, { cwd: folder })).toMatchObject({ code: 0 });
      models.push(readFileSync(join(folder, 'learned.model')));
    }
    expect(models[1]!.equals(models[0]!)).toBe(true);
  },
);

it('a stream that is learned from gives each a line, and learns nothing from it', {
  tags: 'slow',
}, async () => {
  mkdirSync(join(folder, 'stream'));
  const pipeline = (sentences: number) => `version: 1
name: stream
source: { ndjson: { files: ["-"] } }
stages:
  - tokenize: {}
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: ${sentences} }
  - contribute: { loss: log }
  - optimize: { sgd: {} }
  - evaluate: { progressive: true }
  - checkpoint: { dir: stream, sentences: 10 }
  - tag: {}
train: { corpusSize: 100 }
model: stream.model
`;
  const plain = toyRecords(40);
  const among = plain.flatMap((line, i) =>
    i % 5 === 0 ? [line, '{"text":"","id":"none"}', '{"tokens":[],"tags":[]}'] : [line],
  );
  const outcome = async (records: readonly string[], sentences: number) => {
    writeFileSync(join(folder, 'stream.yaml'), pipeline(sentences));
    const { code, stdout, stderr } = await tagstream(['run', 'stream.yaml'], {
      cwd: folder,
      stdin: `${records.join('\n')}\n`,
    });
    expect(code, stderr).toBe(0);
    return { records: recordsIn(stdout), model: readFileSync(join(folder, 'stream.model')) };
  };
  const without = await outcome(plain, 1);
  const found = await outcome(among, 1);
  expect(found.records).toHaveLength(among.length);
  expect(found.records.filter(({ tags }) => (tags as string[]).length > 0)).toEqual(
    without.records,
  );
  expect(found.model.equals(without.model)).toBe(true);
  expect((await outcome(among, 8)).records).toHaveLength(among.length);
});

it('evaluation skips and counts them', async () => {
  const records = [...toyRecords(9), '{"text":""}', '{"tokens":[],"tags":[]}'];
  writeFileSync(join(folder, 'gold.ndjson'), `${records.join('\n')}\n`);
  const { code, stdout } = await tagstream(['eval', '--model', 'toy.model', 'gold.ndjson'], {
    cwd: folder,
  });
  expect(code).toBe(0);
  expect(stdout).toContain('9 sentences');
  expect(stdout).toContain('2 skipped');
});

it.each(['conllu', 'conll'])(
  'records without words have no sentence in %s, and are counted',
  { tags: 'slow' },
  async format => {
    const { code, stdout, stderr } = await tagstream([...tag, '--to', format], {
      cwd: folder,
      stdin: formats.ndjson!,
    });
    const sentences = stdout.trim().split('\n\n');
    expect([code, sentences.length]).toEqual([0, texts.length]);
    const empty = mixed.length - texts.length;
    expect(stderr).toContain(`${empty} bad records (${empty} empty-sentence)`);
    if (format !== 'conllu') return;
    expect(sentences.every(sentence => /^1\t/m.test(sentence))).toBe(true);
  },
);
