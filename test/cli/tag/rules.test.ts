import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRulesFile } from '../../../src/entries/pipeline.js';
import { loadTagger, TaggerPool } from '../../../src/index.js';
import { parsePipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const model = path('small.model');

const gold = [
  ['Ben lives in Oslo .', 'B-PER O O B-LOC O'],
  ['Anna flew to New York .', 'B-PER O O B-LOC I-LOC O'],
  ['Acme Inc . hired Ben .', 'B-ORG I-ORG I-ORG O B-PER O'],
];
const rules = `# what the model has to know
- { set: LOC, names: [St. John's, Lake Erie] }
- set: ORG
  file: lists/firms.txt
- { forbid: PER, pattern: '\\b(?:Monday|Tuesday)\\b' }
- { suggest: PER, names: [ida], fold: true, weight: 40 }
`;
const texts = [
  "Ida flew to St. John's on Monday. Acme & Sons Ltd. hired Ben.",
  'Anna saw Lake Erie.',
  'Nothing here',
  '',
];
const records = [
  ...texts.map((text, id) => JSON.stringify({ id, text, extra: 'é' })),
  JSON.stringify({ tokens: ['Ida', 'saw', 'St.', "John's", '.'] }),
  JSON.stringify({ tokens: ['Lake', 'Erie'], constraints: { 0: ['B-PER'] } }),
];

beforeAll(async () => {
  const lines = gold.map(([tokens, tags]) =>
    JSON.stringify({ tokens: tokens!.split(' '), tags: tags!.split(' ') }),
  );
  writeFileSync(path('gold.ndjson'), `${lines.join('\n')}\n`);
  writeFileSync(path('rules.yaml'), rules);
  mkdirSync(path('lists'));
  writeFileSync(path('lists/firms.txt'), gzipSync('Acme & Sons Ltd.\n\nFoo Inc.\n'));
  writeFileSync(path('in.ndjson'), `${records.join('\n')}\n`);
  writeFileSync(
    path('small.yaml'),
    `version: 1
name: small
source: { ndjson: { files: [gold.ndjson] } }
stages:
  - tokenize
  - featurize: { templates: ["U0:%lower[0,0]", "U1:%type[0,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { lbfgs: { l2: 0.1 } }
train: { epochs: 50 }
model: small.model
`,
  );
  expect((await tagstream(['train', path('small.yaml')])).stderr).toContain('small.model');
});

const tag = async (...options: readonly string[]) => {
  const given = ['tag', '--model', model, ...options, path('in.ndjson')];
  const { code, stdout, stderr } = await tagstream(given);
  expect([code, stderr.includes('error')]).toEqual([0, false]);
  return stdout;
};

const tagging = (tagStage: string) =>
  parsePipeline(
    `version: 1
name: rules
source: { ndjson: { files: [in.ndjson] } }
stages:
  - tokenize
  - featurize: { model: small.model }
  - batch: { sentences: 4 }
  - tag: { ${tagStage} }
sink: { file: out.ndjson }
`,
    path('tagging.yaml'),
  );

describe('tag --rules', () => {
  it('sets, forbids and suggests, the same on every way', { tags: 'slow' }, async () => {
    const found = await tag('--rules', path('rules.yaml'));
    const spans = found
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { spans: { label: string; text: string }[] })
      .map(record => record.spans.map(({ label, text }) => `${label} ${text}`));
    expect(spans[0]).toEqual(
      expect.arrayContaining(['PER Ida', "LOC St. John's", 'ORG Acme & Sons Ltd.']),
    );
    expect(spans[0]!.some(span => span === 'PER Monday')).toBe(false);
    expect(spans[1]).toContain('LOC Lake Erie');
    expect(spans[4]).toEqual(expect.arrayContaining(['PER Ida', "LOC St. John's"]));
    // A constraint of the record is stronger than a rule.
    expect(spans[5]).not.toContain('LOC Lake Erie');
    expect(spans[5]![0]).toMatch(/^PER Lake/);
    expect(found).not.toBe(await tag());

    const ways = [
      await tag('--rules', path('rules.yaml'), '--workers', '2'),
      await tag('--rules', path('rules.yaml'), '--limit', '100'),
      await tag('--rules', path('rules.yaml'), '--workers', '2', '--kernel', 'simd'),
    ];
    for (const way of ways) expect(way).toBe(found);

    const inline = `rules: [
      { set: LOC, names: ["St. John's", Lake Erie] },
      { set: ORG, file: lists/firms.txt },
      { forbid: PER, pattern: "\\\\b(?:Monday|Tuesday)\\\\b" },
      { suggest: PER, names: [ida], fold: true, weight: 40 } ]`;
    for (const option of ['rules: rules.yaml', inline]) {
      for (const limit of [undefined, 100]) {
        await runPipeline(tagging(option), limit === undefined ? {} : { limit });
        expect(readFileSync(path('out.ndjson'), 'utf8')).toBe(found);
      }
    }

    const read = readRulesFile(path('rules.yaml'));
    const tagger = loadTagger(model, { rules: read });
    const pool = await TaggerPool.load(model, { threads: 1, rules: read });
    for (const [i, text] of texts.entries()) {
      const { tags } = tagger.tagText(text);
      expect(tags).toEqual(JSON.parse(found.split('\n')[i]!).tags);
      expect(await pool.tagText(text)).toEqual(tagger.tagText(text));
    }
    await pool.reload();
    expect((await pool.tagText(texts[1]!)).tags).toEqual(tagger.tagText(texts[1]!).tags);
    await pool.close();
  });

  it('goes with all results, columns and checkpoints', { tags: 'slow' }, async () => {
    const asked = ['--span-probabilities', '--marginals', '--nbest', '2', '--probability'];
    const alone = await tag('--rules', path('rules.yaml'), ...asked);
    expect(await tag('--rules', path('rules.yaml'), ...asked, '--workers', '2')).toBe(alone);
    writeFileSync(path('in.conll'), "Ida\nsaw\nSt.\nJohn\n's\n\nLake\nErie\n");
    const columns = await tagstream([
      ...[
        'tag',
        '--model',
        model,
        '--rules',
        path('rules.yaml'),
        '--format',
        'conll:{columns: [form]}',
      ],
      path('in.conll'),
    ]);
    expect(columns.stdout).toContain("St. B-LOC\nJohn I-LOC\n's I-LOC\n");
    const checkpointed = [
      ...['tag', '--model', model, '--rules', path('rules.yaml'), '--checkpoint', path('progress')],
      ...['--out', path('tagged.ndjson'), '--resume', path('in.ndjson')],
    ];
    expect((await tagstream(checkpointed)).code).toBe(0);
    expect(readFileSync(path('tagged.ndjson'), 'utf8')).toBe(
      await tag('--rules', path('rules.yaml')),
    );
  });

  it('is scored by eval, and explained by inspect', async () => {
    const given = ['eval', path('gold.ndjson'), '--model', model, '--json'];
    writeFileSync(path('wrong.yaml'), '- { set: ORG, names: [Oslo, New York] }\n');
    const f1 = async (...more: string[]) =>
      (JSON.parse((await tagstream([...given, ...more])).stdout) as { f1: number }).f1;
    expect(await f1()).toBe(100);
    expect(await f1('--rules', path('wrong.yaml'))).toBeLessThan(80);
    const { stdout } = await tagstream([
      ...['inspect', model, '--explain', 'Ida saw Lake Erie.', '--rules', path('rules.yaml')],
    ]);
    expect(stdout).toMatch(/rule: suggest PER by 40 \(.*rules\.yaml:6\)/);
    expect(stdout).toMatch(/\+40\.0000 {2}suggest PER \(.*rules\.yaml:6\)/);
    expect(stdout).toMatch(/rule: set LOC \(.*rules\.yaml:2\)/);
    const json = await tagstream([
      ...['inspect', model, '--explain', 'Oslo', '--rules', path('wrong.yaml'), '--json'],
    ]);
    expect(JSON.parse(json.stdout).tokens[0]).toMatchObject({
      ...{ tag: 'B-ORG', withoutRules: 'B-LOC' },
      rules: [{ effect: 'set', label: 'ORG', start: 0, end: 1 }],
    });
  });

  it.each([
    ['- { set: LCO, names: [a] }', 'bad.yaml:2: the model has no label "LCO" (did you mean'],
    ['- { set: LOC, forbid: PER, names: [a] }', 'bad.yaml:2:3: [0]: the rule does two things'],
    ['- { set: LOC, pattern: "(a" }', 'bad.yaml:2:3: [0]: the pattern is not valid'],
    ['- { set: LOC, names: [a], weight: 2 }', 'weight applies to suggest, not to set'],
    ['- { st: LOC, names: [a] }', 'bad.yaml:2:5: [0].st: unknown key "st" (did you mean set?'],
    ['a: b', 'bad.yaml:1:1: expected a list, got a map'],
    ['', 'the file is empty or contains only comments (write a list of rules'],
    ["- { set: LOC, pattern: '(a+)\\1+b' }", 'bad.yaml:2:3: [0]: the pattern is not valid'],
  ])('refuses %s', async (rule, message) => {
    writeFileSync(path('bad.yaml'), `# rules\n${rule}\n`);
    for (const workers of ['1', '2']) {
      const { code, stdout, stderr } = await tagstream([
        ...['tag', '--model', model, '--rules', path('bad.yaml'), '--workers', workers],
        path('in.ndjson'),
      ]);
      expect([code, stdout]).toEqual([78, '']);
      expect(stderr).toContain(message);
    }
  });

  it('refuses a rule in a pipeline file with its line', () => {
    expect(() => tagging('rules: [{ set: LOC, pattern: "(a" }]')).toThrow(
      /tagging\.yaml:8:\d+: .*rules.*the pattern is not valid/,
    );
  });
});
