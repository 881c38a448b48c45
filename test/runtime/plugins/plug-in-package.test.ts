import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { install, plugInPipeline } from './installed.js';

const folder = workspace();
const use = ['--use', 'its-package'];
const run = (given: readonly string[], stdin = '') => tagstream(given, { cwd: folder, stdin });
const bytes = (name: string) => readFileSync(join(folder, name));

beforeAll(async () => {
  install(folder);
  plugInPipeline(folder);
  expect(await run(['train', 'plugged.yaml'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('test: accuracy 100.00 %'),
  });
}, 60_000);

describe('a plug-in that a pipeline file uses', () => {
  it('is known to validate', async () => {
    expect(await run(['validate', 'plugged.yaml'])).toMatchObject({
      code: 0,
      stdout: 'plugged.yaml: valid\n',
    });
  });

  it('trains the same model in several threads, which load it too', { tags: 'slow' }, async () => {
    const trained = await run(['train', 'plugged.yaml', '--workers', '2', '--model', 'two.model']);
    expect(trained).toMatchObject({ code: 0 });
    expect(bytes('two.model')).toEqual(bytes('plugged.model'));
  });

  it('has a loss that a batch optimizer takes, in several threads too', {
    tags: 'slow',
  }, async () => {
    const set = ['--set', 'stages.optimize={lbfgs: {l2: 0.1}}', '--set', 'train.epochs=20'];
    const one = await run(['train', 'plugged.yaml', ...set, '--model', 'a.model']);
    const two = await run([
      'train',
      'plugged.yaml',
      ...set,
      '--model',
      'b.model',
      '--workers',
      '2',
    ]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect(bytes('b.model')).toEqual(bytes('a.model'));
    expect(bytes('a.model')).not.toEqual(bytes('plugged.model'));
  });
});

describe('a model that was trained with a plug-in', () => {
  const gold = () => bytes('train.tsv').toString();

  it.each([[['--workers', '2']], [[]], [['--output', 'tags']]])(
    'tags with %j',
    { tags: 'slow' },
    async more => {
      const { code, stdout } = await run([
        'tag',
        '--model',
        'plugged.model',
        ...use,
        ...more,
        'train.tsv',
      ]);
      expect([code, stdout]).toEqual([0, gold()]);
    },
  );

  it('reads records without tags in its own format from the standard input', async () => {
    const { stdout } = await run(['tag', '--model', 'plugged.model', ...use], 'the old cat runs\n');
    expect(stdout).toBe('the old cat runs\tDET ADJ NOUN VERB\n');
  });

  it('tags records of another format, by all ways', { tags: 'slow' }, async () => {
    const ndjson = gold()
      .split('\n')
      .slice(0, -1)
      .map(line => `${JSON.stringify({ tokens: line.split('\t')[0]!.split(' ') })}\n`);
    writeFileSync(join(folder, 'some.ndjson'), ndjson.join(''));
    const tags = (text: string) =>
      text
        .split('\n')
        .slice(0, -1)
        .map(line => (JSON.parse(line) as { tags: string[] }).tags.join(' '));
    const expected = gold()
      .split('\n')
      .slice(0, -1)
      .map(line => line.split('\t')[1]);
    for (const more of [[], ['--output', 'tags'], ['--output', 'tags', '--workers', '2']]) {
      const given = ['tag', '--model', 'plugged.model', ...use, ...more, 'some.ndjson'];
      expect(tags((await run(given)).stdout)).toEqual(expected);
    }
  });

  it('is scored, converted from and inspected with it', async () => {
    const scored = await run(['eval', '--model', 'plugged.model', ...use, 'train.tsv']);
    expect(scored.stdout).toContain('60 sentences, 270 tokens: accuracy 100.00 %');
    const converted = await run([
      'convert',
      '--from',
      'tsv',
      '--to',
      'ndjson',
      ...use,
      'train.tsv',
    ]);
    const back = await run(['convert', '--to', 'tsv', ...use], converted.stdout);
    expect(back.stdout).toBe(gold());
    const inspected = await run(['inspect', 'plugged.model', ...use, '--label', 'VERB']);
    expect([inspected.code, inspected.stdout]).toEqual([0, expect.stringContaining('U01:')]);
  });

  it.each(['tag', 'eval', 'inspect'])('names it in the error of %s without it', async command => {
    const given =
      command === 'inspect' ? ['plugged.model'] : ['--model', 'plugged.model', 'train.tsv'];
    const { code, stderr, stdout } = await run([command, ...given]);
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toBe(
      'tagstream: plugged.model: the model needs %vowels, %bucket of the plug-in its-package (give the plug-in: --use its-package, or use: [...] in code and pipeline files)\n',
    );
  });
});

describe('tagstream components and schema', () => {
  it('list the components of a plug-in beside those of Tagstream', async () => {
    const { stdout } = await run(['components', ...use]);
    expect(stdout).toMatch(/^ {2}log +-log p/m);
    for (const name of ['bounded', 'steps', 'tsv', 'queue', 'vowels', 'bucket']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\S.*\\(its-package\\)$`, 'm'));
    }
  });

  it('explain a component with its options and their defaults', async () => {
    const { stdout } = await run(['components', 'bounded', ...use]);
    expect(stdout).toBe(`bounded: loss of the plug-in its-package
(1 - p(y | x)^gamma) / gamma, which forgives sentences that cannot be learned

  - contribute: { loss: { bounded: { gamma: 0.1 } } }

  gamma: number from 0.001 to 1; default 0.05
      how much is forgiven
`);
    expect((await run(['components', 'steps', ...use])).stdout).toContain(
      'rate: number above 0; default 0.2\n      size of a step\n',
    );
  });

  it('say which component was meant', async () => {
    const { code, stderr } = await run(['components', 'boundet', ...use]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean bounded?')]);
  });

  it('print a JSON Schema with them', { tags: 'slow' }, async () => {
    const [with_, without] = await Promise.all([run(['schema', ...use]), run(['schema'])]);
    const optimizers = (text: string) => {
      const names = new Set<string>();
      const visit = (part: unknown): void => {
        if (typeof part !== 'object' || part === null) return;
        const { properties } = part as { properties?: Record<string, unknown> };
        if (properties?.sgd !== undefined)
          for (const name of Object.keys(properties)) names.add(name);
        for (const value of Object.values(part)) visit(value);
      };
      visit(JSON.parse(text));
      return names;
    };
    expect(
      [...optimizers(with_.stdout)].filter(name => !optimizers(without.stdout).has(name)),
    ).toEqual(['steps']);
    expect(with_.stdout).toContain('how much is forgiven');
  });
});
