import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/cli/report/error-facts.js';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream, tagstreamProcess } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const pipeline = join(folder, 'toy.yaml');

beforeAll(async () => {
  toyPipeline(folder);
  await trainHere(pipeline);
});

/** Trains on a file of this content, read by this source. */
async function trainOn(content: string, source: string, set: string[] = []) {
  const file = join(folder, 'bad.txt');
  const target = join(folder, 'never.model');
  writeFileSync(file, content);
  const outcome = await tagstream([
    'train',
    pipeline,
    '--model',
    target,
    '--set',
    `source={${source}}`,
    ...set.flatMap(setting => ['--set', setting]),
  ]);
  expect(existsSync(target)).toBe(outcome.code === 0);
  return outcome;
}

describe('bad data for training', () => {
  it('unequal columns: file, line, expected and found', async () => {
    const source = `conll: {files: [bad.txt], columns: [form, tag]}`;
    const { code, stderr } = await trainOn('a X\nb\n\n', source);
    expect(code).toBe(1);
    expect(stderr).toMatch(/bad\.txt:2: 1 column in a row, expected 2/);
    expect(stderr).toMatch(
      /use --on-bad skip to skip such records, or --dead-letter FILE to keep them/,
    );
  });

  it.each([[['--strict']], [['--on-bad', 'wrong-shape=fail']]])(
    'nobody who has said %j is told what else to say',
    async said => {
      const file = join(folder, 'said.conll');
      writeFileSync(file, 'a X\nb\n\n');
      const set = ['--set', 'source={conll: {files: [said.conll], columns: [form, tag]}}'];
      const { code, stderr } = await tagstream(['train', pipeline, ...set, ...said]);
      expect([code, stderr.includes('--on-bad skip')]).toEqual([1, false]);
    },
  );

  it('unequal token and tag counts under --strict', async () => {
    const file = join(folder, 'unequal.ndjson');
    writeFileSync(file, '{"tokens":["a"],"tags":["X"]}\n{"tokens":["a","b"],"tags":["X"]}\n');
    const set = ['--set', 'source.ndjson.files=[unequal.ndjson]', '--strict'];
    const { code, stderr } = await tagstream(['train', pipeline, ...set]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/unequal\.ndjson:2: .*2 tokens.*1 tag/);
  });

  it('a corpus without labels', async () => {
    const { code, stderr } = await trainOn(
      'a\nb\n\n',
      'conll: {files: [bad.txt], columns: [form]}',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('the corpus has no labelled sentence');
  });

  it('an unknown column in a template', async () => {
    const { code, stderr } = await trainOn(
      'a X\n\n',
      'conll: {files: [bad.txt], columns: [form, tag]}',
      ['stages.featurize.templates=["U:%x[0,pos]"]'],
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/bad\.txt:1: the record has no column "pos"/);
  });

  it('values that are no numbers', async () => {
    const { code, stderr } = await trainOn(
      'a 1.5 X\nb NaN X\n\n',
      'conll: {files: [bad.txt], columns: [form, size, tag]}',
      ['stages.featurize.templates=["U:%v[0,size]"]'],
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/bad\.txt:1: column size has "NaN" at token 1/);
  });

  it('a file that is not there', async () => {
    const { code, stderr } = await tagstream([
      'train',
      pipeline,
      '--set',
      'source.ndjson.files=[no]',
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/toy\.yaml: the input .*no does not exist/);
  });
});

describe('bad configuration', () => {
  const cases: [string, string[], RegExp][] = [
    ['an unknown key', ['stages.optimize.sgd.eta=1'], /unknown key "eta" \(did you mean eta0\?/],
    ['a value out of range', ['stages.optimize.sgd.eta0=-1'], /stages\[4\]\.optimize\.sgd\.eta0: /],
    [
      'an unknown stage',
      ['stages.0={tokenise: {}}'],
      /unknown key "tokenise" \(did you mean tokenize\?/,
    ],
    ['a stage out of place', ['stages.2={tag: {}}'], /takes a minibatch or a training step/],
    ['no size of the corpus', ['train={seed: 1}'], /train\.epochs or train\.corpusSize is needed/],
    ['a bad template', ['stages.featurize.templates=["U:%y[0,0]"]'], /there is no macro %y/],
    ['a loss that does not fit', ['stages.contribute.loss=perceptron'], /does not support/],
    [
      'a variable that is not set',
      [`name="$\{NO_SUCH_VARIABLE_X}"`],
      /NO_SUCH_VARIABLE_X is not set/,
    ],
  ];
  it.each(cases)('%s: exit code 78', async (_, set, message) => {
    const run = async () => runPipeline(loadPipeline(pipeline, { set }), {});
    const refused = await run().catch((error: unknown) => error);
    expect(String(refused)).toMatch(message);
    expect(exitCodeOf(refused)).toBe(78);
  });

  it('is reported by the command', async () => {
    const [, set, message] = cases[0]!;
    const { code, stderr } = await tagstream(['train', pipeline, '--set', ...set]);
    expect(stderr).toMatch(message);
    expect(code).toBe(78);
  });

  it('says line and column of what stands in the file', async () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, readFileSync(pipeline, 'utf8').replace('eta0', 'eta_0'));
    const { code, stderr } = await tagstream(['validate', file]);
    expect(stderr).toMatch(/wrong\.yaml:9:24: .*unknown key "eta_0" \(did you mean eta0\?/);
    expect(code).toBe(78);
  });

  it('YAML that does not parse', async () => {
    const file = join(folder, 'broken.yaml');
    writeFileSync(file, 'version: 1\nname: [\n');
    const { code, stderr } = await tagstream(['validate', file]);
    expect(stderr).toMatch(/broken\.yaml:\d+:\d+: /);
    expect(code).toBe(78);
  });

  it('wrong usage: exit code 2, with help', { tags: 'slow' }, async () => {
    expect((await tagstream(['train'])).code).toBe(2);
    expect((await tagstream(['tga'])).code).toBe(2);
    expect((await tagstream(['tag', '--model'])).code).toBe(2);
    expect((await tagstream(['train', pipeline, '--set', 'x'])).code).toBe(2);
    expect((await tagstreamProcess([])).code).toBe(2);
  });
});

describe('bad models', () => {
  const tagWith = (file: string) =>
    tagstream(['tag', '--model', file], { stdin: '{"tokens":["the"]}\n' });

  it('another version', async () => {
    const bytes = readFileSync(model);
    bytes[4] = 99;
    const file = join(folder, 'version.model');
    writeFileSync(file, bytes);
    const { code, stderr, stdout } = await tagWith(file);
    expect(stderr).toMatch(/version\.model: the model has format version 99/);
    expect([code, stdout]).toEqual([1, '']);
  });

  it('truncated', async () => {
    const bytes = readFileSync(model);
    const file = join(folder, 'short.model');
    writeFileSync(file, bytes.subarray(0, bytes.length - 10));
    const { code, stderr } = await tagWith(file);
    expect(stderr).toMatch(/short\.model: the model file is damaged: it has \d+ bytes of \d+/);
    expect(code).toBe(1);
  });

  it('altered', async () => {
    const bytes = readFileSync(model);
    bytes[bytes.length - 9]! ^= 1;
    const file = join(folder, 'altered.model');
    writeFileSync(file, bytes);
    const { code, stderr } = await tagWith(file);
    expect(stderr).toMatch(/altered\.model: the model file is damaged: the checksum/);
    expect(code).toBe(1);
  });

  it('no model at all', async () => {
    const { code, stderr } = await tagWith(pipeline);
    expect(stderr).toContain('toy.yaml: this is not a Tagstream model file');
    expect(code).toBe(1);
  });
});

describe('bad lines in a stream', () => {
  const stdin = [
    '{"id":1,"tokens":["the"]}',
    '{"id":2,"tokens":["the"',
    'null',
    '',
    '{"id":3,"tokens":["dog"]}',
    '{"id":4,"text":[]}',
    '{"id":5,"tokens":["a"],"tags":["X","Y"]}',
    '{"id":6,"tokens":["cat"]}',
  ].join('\n');

  it('are counted and reported; the others come out in order', async () => {
    const { code, stdout, stderr } = await tagstream(['tag', '--model', model], { stdin });
    const ids = stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual([1, 3, 6]);
    expect(stderr).toMatch(/<stdin>:2: .*JSON/);
    expect(stderr).toContain('4 bad records');
    expect(stderr).toContain('1 blank line was skipped');
    expect(code).toBe(0);
  });

  it('are kept with --dead-letter', async () => {
    const file = join(folder, 'dead.ndjson');
    const given = ['tag', '--model', model, '--dead-letter', file];
    expect((await tagstream(given, { stdin })).code).toBe(0);
    const rejected = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { line: number; code: string; raw: string });
    expect(rejected.map(({ line, code }) => [line, code])).toEqual([
      [2, 'not-json'],
      [3, 'not-an-object'],
      [6, 'wrong-shape'],
      [7, 'length-mismatch'],
    ]);
    expect(rejected.map(({ raw }) => raw)).toEqual([1, 2, 5, 6].map(i => stdin.split('\n')[i]));
  });

  it('end the run under --strict, and leave no half-written file', async () => {
    const out = join(folder, 'half.ndjson');
    const given = ['tag', '--model', model, '--strict', '--out', out];
    const { code, stderr } = await tagstream(given, { stdin });
    expect(code).toBe(1);
    expect(stderr).toMatch(/<stdin>:2: /);
    expect(readdirSync(folder).filter(name => name.includes('half'))).toEqual([]);
  });
});

describe('a model that cannot be written', () => {
  it.each(['/proc/nowhere/m.model', '/dev/null/m.model'])(
    '%s: is found out before training',
    async place => {
      const { code, stderr } = await tagstream(['train', pipeline, '--model', place]);
      expect(stderr).toContain(place);
      expect(stderr).not.toContain('pass 1');
      expect(code).toBe(1);
    },
  );
});
