import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  const labelled = [
    'nothing here',
    'Ann met Ben in Oslo',
    'Ben saw Rome',
    'Oslo is cold',
    'Ann left',
  ].map(text => {
    const tokens = text.split(' ');
    const labels: Record<string, string> = {
      Ann: 'B-PER',
      Ben: 'B-PER',
      Oslo: 'B-LOC',
      Rome: 'B-LOC',
    };
    return JSON.stringify({ tokens, tags: tokens.map(token => labels[token] ?? 'O') });
  });
  writeFileSync(join(folder, 'spans.ndjson'), `${labelled.join('\n')}\n`);
  writeFileSync(
    join(folder, 'spans.yaml'),
    `version: 1
name: spans
source: { ndjson: { files: [spans.ndjson] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]"] }
  - batch
  - contribute
  - optimize: { sgd: {} }
train: { epochs: 20 }
model: spans.model
`,
  );
  await trainHere(join(folder, 'spans.yaml'));
  const pipeline = (name: string, source: string, sink: string, more = '') =>
    writeFileSync(
      join(folder, `${name}.yaml`),
      `version: 1
name: ${name}
source: ${source}
stages: [tokenize, { featurize: { model: ${name === 'plain' ? 'toy' : 'spans'}.model } }, { batch: { sentences: 4 } }, tag]
sink: ${sink}
${more}`,
    );
  const ndjson = '{ ndjson: { files: ["-"], textField: message } }';
  pipeline('redact', ndjson, '{ redact: "[{label} {n}]" }');
  pipeline('plain', ndjson, '{ redact: "x" }');
  pipeline('unknown', ndjson, '{ redact: "{x}" }');
  pipeline('tags', ndjson, '{ redact: "x", output: tags }');
  pipeline('into', '{ ndjson: { into: nlp } }', '{ redact: "x" }');
  pipeline('passing', ndjson, '{ redact: "x" }', 'deadLetters: { default: pass }\n');
});

const tag = [
  'tag',
  '--model',
  'spans.model',
  '--text-field',
  'message',
  '--redact',
  '[{label} {n}]',
];
const ways: readonly (readonly string[])[] = [
  tag,
  [...tag, '--workers', '2'],
  [...tag, '--limit', '1000'],
  [...tag, '--metrics', '0'],
  ['run', 'redact.yaml'],
  ['run', 'redact.yaml', '--limit', '1000'],
];

describe('texts without their spans', () => {
  const rest = ', "tags": ["app"], "tokens":17 , "n": 1e400, "spans":[{"text":"kept"}]}';
  const textless = ['{ "level":\t"info" }', '{"message": null, "n": 1.0}', '{}', '{"text": "Ann"}'];
  const stdin = [
    `{"id": 1.0, "message": "Ann\\/Ben saw \\u0041nn in Oslo."${rest}`,
    `{"message": "nothing here \\ud83d\\ude00"${rest}`,
    'broken',
    `{"message": ""${rest}`,
    `{"message": "Rome", "message": "Rome"}`,
    // Records without a text have nothing to hide, unless an equal member before has one.
    ...textless,
    '{"message": "Rome", "message": null}',
    '{"message": "Rome", "message": ""}',
    '{"message": ["Rome"]}',
    '[]',
  ].join('\n');
  const expected = [
    `{"id": 1.0, "message": "[PER 1]\\/[PER 2] saw [PER 3] in [LOC 4]."${rest}`,
    `{"message": "nothing here \\ud83d\\ude00"${rest}`,
    `{"message": ""${rest}`,
    ...textless,
    '',
  ].join('\n');

  it.each(ways.map(way => [way]))(
    'come out with every other byte: %j',
    { tags: 'slow' },
    async way => {
      const { stdout, stderr } = await tagstream(way, { cwd: folder, stdin });
      expect(stdout).toBe(expected);
      expect(stderr).toContain('6 bad records (4 wrong-shape, 1 not-an-object, 1 not-json)');
      expect(stderr).toContain('4 records without a text to redact, written unchanged');
      expect(stderr).not.toContain('already have fields');
    },
  );

  for (const { rows, tags } of everyNth(
    2,
    ways.map(way => [way]),
  )) {
    it.each(rows)('fail if no record has one: %j', { tags }, async way => {
      const given = `${textless.join('\n')}\n`;
      const { code, stdout, stderr } = await tagstream(way, { cwd: folder, stdin: given });
      expect(stdout).toBe(given);
      expect(stderr).toContain('no record has a text, so nothing was redacted');
      expect(code).not.toBe(0);
    });
  }

  it('are absent whatever the name of the tokens', async () => {
    const given = [
      'tag',
      '--model',
      'spans.model',
      '--redact',
      'x',
      '--format',
      'ndjson:{tokens: words}',
    ];
    const lines = ['{"text": "Ann"}', '{"n": 1}', '{"words": ["Ann"]}'];
    const { stdout } = await tagstream(given, { cwd: folder, stdin: lines.join('\n') });
    expect(stdout).toBe('{"text": "x"}\n{"n": 1}\n');
  });

  it('are at one of two places that a name with a dot may have', async () => {
    const given = ['tag', '--model', 'spans.model', '--redact', 'x', '--text-field', 'a.b'];
    const lines = [
      '{"a.b": "Ann", "a": {"b": "Ben"}}',
      '{"a.b": null, "a": {"b": "Ben"}}',
      '{"a": {"c": "Ben"}}',
      '{"a": "Ben"}',
      '{"a.b": "Ann", "a.b": null}',
    ];
    const { stdout } = await tagstream(given, { cwd: folder, stdin: lines.join('\n') });
    expect(stdout.split('\n')).toEqual([
      '{"a.b": "x", "a": {"b": "Ben"}}',
      '{"a.b": null, "a": {"b": "x"}}',
      ...lines.slice(2, 4),
      '',
    ]);
  });

  it('come out with checkpoints, which know the pattern', async () => {
    writeFileSync(join(folder, 'in.ndjson'), stdin);
    const given = [...tag, 'in.ndjson', '--out', 'out.ndjson', '--checkpoint', 'c'];
    const { code, stderr } = await tagstream(given, { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(readFileSync(join(folder, 'out.ndjson'), 'utf8')).toBe(expected);
    const other = given.map(each => (each === '[{label} {n}]' ? 'x' : each));
    const resumed = await tagstream([...other, '--resume'], { cwd: folder });
    expect(resumed.code).not.toBe(0);
    expect(resumed.stderr).toContain('redact');
  });

  it('come out of plain text as plain text, whatever a record is', async () => {
    const text = 'Ann  met\tBen.\n\n  Oslo \u00e9\n';
    const plain = ['tag', '--model', 'spans.model', '--redact', '<{label}>', '--format'];
    const lines = await tagstream([...plain, 'text'], { cwd: folder, stdin: text });
    expect(lines.stdout).toBe('<PER>  met\t<PER>.\n  <LOC> \u00e9\n');
    const whole = await tagstream([...plain, 'text:{records: file}'], { cwd: folder, stdin: text });
    expect(whole.stdout).toBe('<PER>  met\t<PER>.\n\n  <LOC> \u00e9\n');
  });

  it('are none of records with tokens', async () => {
    const given = ['tag', '--model', 'spans.model', '--redact', 'x'];
    const records = '{"tokens": ["Ann"]}\n{"text": "Ann", "tokens": ["Ann"]}\n';
    const { stdout, stderr } = await tagstream(given, { cwd: folder, stdin: records });
    expect(stdout).toBe('');
    expect(stderr).toContain('tokens next to its text');
  });

  const toy = ['tag', '--model', 'toy.model', '--redact', 'x'];
  it.each([
    [toy, 78, 'mark no spans'],
    [[...toy, '--workers', '2'], 78, 'mark no spans'],
    [[...toy, '--limit', '5'], 78, 'mark no spans'],
    [['run', 'plain.yaml'], 78, 'mark no spans'],
    [['run', 'unknown.yaml'], 78, 'unknown.yaml:5'],
    [['run', 'tags.yaml'], 78, 'redact cannot be combined with `output: tags`'],
    [['run', 'into.yaml'], 78, 'redact cannot be combined with `into`'],
    [['run', 'passing.yaml'], 78, 'passed on without redaction'],
    [[...tag, '--redact', '{text}'], 2, 'redact'],
    [[...tag, '--output', 'tags'], 2, 'with --output tags'],
    [[...tag, '--into', 'nlp'], 2, 'no results are written'],
    [[...tag, '--on-bad', 'pass'], 2, 'would not be redacted'],
    [[...tag, '--marginals'], 2, '--redact cannot be combined with --marginals'],
    [[...tag, '--pretty'], 2, '--pretty cannot be combined with --redact'],
    [['tag', '--model', 'spans.model', '--redact', 'x', '--format', 'spacy'], 2, 'spacy'],
  ] as const)('are refused: %j', async (given, exit, message) => {
    const { code, stdout, stderr } = await tagstream(given, { cwd: folder, stdin });
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([exit, '']);
  });
});
