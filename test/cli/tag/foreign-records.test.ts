import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../../house/long-forms.js';
import { LiveCommand } from '../commands/live-command.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  const pipeline = (name: string, source: string, more = '') =>
    writeFileSync(
      join(folder, `${name}.yaml`),
      `version: 1
name: ${name}
source: { ndjson: ${source} }
stages: [tokenize, { featurize: { model: toy.model } }, { batch: { sentences: 4 } }, tag]
${more}`,
    );
  pipeline('tags', '{ files: ["-"], maxLineBytes: 300 }');
  pipeline(
    'fields',
    '{ files: ["-"], maxLineBytes: 300, textField: message, into: nlp }',
    'deadLetters: { default: pass }\n',
  );
  pipeline(
    'default',
    '{ files: ["-"] }',
    'deadLetters: { default: pass }\nsink: { output: tags }\n',
  );
  pipeline('written', '{ files: ["-"] }', 'sink: { format: conllu }\n');
  writeFileSync(
    join(folder, 'conll.yaml'),
    `version: 1
name: conll
source: { conll: { columns: [form], tagOptional: true } }
stages: [{ featurize: { model: toy.model } }, batch, tag]
`,
  );
});

const foreign =
  '"tags": ["app", "login"], "tokens": 17, "gold": null, "score": 0.10, "spans": {"id": 1e400}, "offsets": "x"';
/** Lines as a log shipper writes them, with what may be wrong with them. */
const lines: readonly (string | Buffer)[] = [
  `{"@t": 1.0, "message": "the dog sees a cat", ${foreign}}`,
  '{"message": null}',
  '{"message": "", "nlp": {"mine": 1.0, "tags": ["old"], "error": 1}}',
  'not JSON at all',
  '{"message": "the cat", "nlp": 3}',
  `{"message": "the \\u0064og", ${foreign}}`,
  Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  '[1, 2]',
  `{"message": "${'the dog '.repeat(60)}"}`,
  '{"message": {"text": "the dog"}}',
  '{"text": "the dog", "log": {"message": "a cat", "n": -0}}',
  ...Array.from({ length: 30 }, (_, i) =>
    i % 7 === 3 ? '{"message": 3}' : `{"id": ${i}, "message": "a cat sees the dog", "n": 1.0}`,
  ),
  '{"message": "a dog"',
];
const input = Buffer.concat(lines.flatMap(line => [Buffer.from(line), Buffer.from('\n')]));

const limits = ['--format', 'ndjson:{maxLineBytes: 300}'];
const ways: Readonly<Record<string, readonly string[]>> = {
  'in blocks': ['tag', '--model', 'toy.model', ...limits],
  'in two threads': ['tag', '--model', 'toy.model', ...limits, '--workers', '2'],
  'one by one': ['tag', '--model', 'toy.model', ...limits, '--limit', '10000'],
  'with metrics': ['tag', '--model', 'toy.model', ...limits, '--metrics', '0'],
  'by a pipeline': ['run', 'tags.yaml'],
  'by a pipeline, one by one': ['run', 'tags.yaml', '--limit', '10000'],
  'by a pipeline, with metrics': ['run', 'tags.yaml', '--metrics', '0'],
};

const chosen: readonly (readonly string[])[] = [
  ['--text-field', 'message', '--into', 'nlp'],
  ['--text-field', 'message', '--into', 'nlp', '--on-bad', 'pass'],
  ['--text-field', 'message', '--on-bad', 'pass'],
  ['--text-field', 'log.message', '--into', 'nlp', '--on-bad', 'not-json=pass'],
  ['--into', 'nlp', '--on-bad', 'pass'],
  ['--on-bad', 'pass'],
  [],
];

for (const part of everyNth(
  8,
  chosen.map(options => ({ options, name: options.join(' ') })),
)) {
  describe.each(part.rows)(
    'records of other programs, with [$name]',
    { tags: part.tags },
    ({ options }) => {
      it('come out alike whichever way they go', async () => {
        const outcomes = await Promise.all(
          Object.entries(ways).map(async ([way, given]) => ({
            way,
            ...(await tagstream([...given, ...options], { cwd: folder, stdin: input })),
          })),
        );
        const [{ stdout }] = outcomes as [(typeof outcomes)[0]];
        for (const one of outcomes) {
          expect([one.way, one.code, one.stdout]).toEqual([one.way, 0, stdout]);
          const [count] = /\d+ bad records.*\)/.exec(one.stderr)!;
          expect([one.way, count]).toEqual([
            one.way,
            /\d+ bad records.*\)/.exec(outcomes[0]!.stderr)![0],
          ]);
          const warns = one.stderr.split('already have fields').length - 1;
          expect(warns).toBe(options.includes('--into') ? 0 : options.includes('message') ? 1 : 0);
        }
        const out = stdout.trimEnd().split('\n');
        for (const line of out) JSON.parse(line);
        if (options.at(-1) === 'pass') expect(out).toHaveLength(lines.length);
        // What is not ours is there, byte for byte, in every line that was JSON.
        if (!options.includes('message')) return;
        expect(out[0]!.startsWith(String(lines[0]).slice(0, -1))).toBe(true);
        expect(JSON.parse(out[0]!).nlp.tags).toHaveLength(5);
      });
    },
  );
}

it('say what is wrong with each, below the key or beside their text', async () => {
  const given = ['run', 'fields.yaml'];
  const { stdout, stderr } = await tagstream(given, { cwd: folder, stdin: input });
  const out = stdout.trimEnd().split('\n');
  const codeOf = (line: string) => JSON.parse(line).nlp.error?.code;
  expect(out.slice(0, 11).map(codeOf)).toEqual([
    ...[undefined, 'wrong-shape', undefined, 'not-json', 'wrong-shape', undefined],
    ...['invalid-utf8', 'not-an-object', 'too-long', 'wrong-shape', 'wrong-shape'],
  ]);
  expect(out[1]).toBe(
    '{"message": null,"nlp":{"error":{"code":"wrong-shape","message":"the record has no message"}}}',
  );
  expect(out[2]).toBe(
    '{"message": "", "nlp": {"mine": 1.0,"tokens":[],"offsets":[],"sentences":[],"tags":[]}}',
  );
  expect(JSON.parse(out[3]!).raw).toBe('not JSON at all');
  expect(JSON.parse(out[4]!).raw).toBe(lines[4]);
  expect(JSON.parse(out[7]!).raw).toBe('[1, 2]');
  expect(stderr).toContain('written with their error');
});

it('are kept as well where there is a file for them, and resume with their lines', {
  tags: 'slow',
}, async () => {
  const file = join(folder, 'in.ndjson');
  writeFileSync(file, input);
  const given = ['tag', file, '--model', 'toy.model', '--text-field', 'message', '--into', 'nlp'];
  const pass = ['--on-bad', 'pass', '--dead-letter', 'bad.ndjson'];
  const plain = await tagstream([...given, ...pass], { cwd: folder });
  expect(plain.stdout.trimEnd().split('\n')).toHaveLength(lines.length);
  const kept = readFileSync(join(folder, 'bad.ndjson'), 'utf8').trimEnd().split('\n');
  expect(kept).toHaveLength(Number(/(\d+) bad records/.exec(plain.stderr)![1]));
  for (const way of [[], ['--metrics', '0'], ['--workers', '2']]) {
    const options = [...given, '--on-bad', 'pass', '--out', 'out.ndjson', '--checkpoint', 'c'];
    const { code, stderr } = await tagstream([...options, ...way], { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(readFileSync(join(folder, 'out.ndjson'), 'utf8')).toBe(plain.stdout);
  }
});

it('are converted with all that they have', async () => {
  const record = '{"id": 1.0, "log": {"message": "the \\u0064og", "n": 1e400}, "tags": "x"}';
  const given = ['convert', '--from', 'ndjson:{textField: log.message}', '--to'];
  const json = await tagstream([...given, 'ndjson'], { cwd: folder, stdin: `${record}\n` });
  expect(json.stderr).toBe('');
  const kept = record.replace('"the \\u0064og"', 'null');
  const origin = `{"format":"ndjson","text":["log","message"],"record":${kept}}`;
  expect(json.stdout).toBe(`{"id":1.0,"text":"the \\u0064og","_origin":${origin}}\n`);
  const rows = await tagstream([...given, 'conll:{columns: [form], tagOptional: true}'], {
    cwd: folder,
    stdin: `${record}\n`,
  });
  expect(rows.stdout).toBe('the\ndog\n\n');
});

const open: LiveCommand[] = [];
afterEach(async () => {
  for (const command of open.splice(0)) {
    command.child.kill('SIGKILL');
    await command.ended();
  }
});

it.each(Object.entries(ways))('get their line at once, %s', { tags: 'slow' }, async (_, given) => {
  const options = ['--text-field', 'message', '--into', 'nlp', '--on-bad', 'pass'];
  const command = new LiveCommand([...given, ...options], { cwd: folder });
  open.push(command);
  for (const [i, line] of lines.entries()) {
    command.child.stdin!.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
    if (i + 1 < lines.length) {
      await command.until(() => command.stdout.split('\n').length - 1 > i);
      expect(command.stdout.split('\n').length - 1).toBe(i + 1);
    }
  }
});

describe('are refused', () => {
  const tag = ['tag', '--model', 'toy.model'];
  for (const part of everyNth(2, [
    [
      [...tag, '--on-bad', 'pass', '--format', 'text'],
      2,
      'the format text has no field for an error',
    ],
    [[...tag, '--on-bad', 'pass', '--output', 'tags'], 2, 'with --output tags'],
    [[...tag, '--on-bad', 'pass', '--to', 'conllu'], 2, 'with another output format'],
    [[...tag, '--on-bad', 'pass', '--to', 'ndjson'], 2, 'with another output format'],
    [['run', 'written.yaml', '--on-bad', 'pass'], 2, 'with another output format'],
    [[...tag, '--on-bad', 'pass', '--pretty'], 2, '--pretty cannot be combined with --on-bad pass'],
    [[...tag, '--into', 'nlp', '--pretty'], 2, '--pretty cannot be combined with --into'],
    [
      [...tag, '--into', 'nlp', '--output', 'tags'],
      2,
      '--into cannot be combined with --output tags',
    ],
    [[...tag, '--into', 'nlp', '--format', 'text'], 2, 'text have no fields'],
    [[...tag, '--text-field', 'a', '--format', 'conll:{columns: [form]}'], 2, 'have no fields'],
    [[...tag, '--text-field', 'a.b', '--into', 'a'], 78, 'holds the text of the records'],
    [[...tag, '--into', 'text'], 78, 'holds the text of the records'],
    [['run', 'conll.yaml', '--into', 'nlp'], 2, 'conll have no fields'],
    [['run', 'conll.yaml', '--on-bad', 'pass'], 2, 'the format conll has no field'],
    [['run', 'default.yaml'], 78, 'default.yaml:5'],
    [['run', 'toy.yaml', '--text-field', 'a'], 78, 'no labels to train on'],
    [['run', 'toy.yaml', '--on-bad', 'pass'], 2, 'no tagged records'],
    [['train', 'toy.yaml', '--on-bad', 'wrong-shape=pass'], 2, 'no tagged records'],
    [['convert', '--to', 'ndjson', '--on-bad', 'pass'], 2, 'no tagged records'],
    [['convert', '--to', 'ndjson:{textField: a}'], 2, 'textField has no effect'],
  ] as const)) {
    it.each(part.rows)('%j', { tags: part.tags }, async (given, exit, message) => {
      const { code, stderr } = await tagstream(given, { cwd: folder, stdin: '{"text": "a"}\n' });
      expect(stderr).toContain(message);
      expect(code).toBe(exit);
    });
  }
});
