import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { start } from '../commands/start-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const records = toyRecords(400, false);

beforeAll(async () => {
  await trainHere(toyPipeline(folder, 400));
  writeFileSync(path('in.ndjson'), `${records.join('\n')}\n`);
});
beforeEach(() => {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('out') || name === 'steps') rmSync(path(name), { recursive: true });
  }
});

const series = () => readdirSync(folder).filter(name => /^out\.\d{6}\.ndjson$/.test(name));
const idsIn = (names: readonly string[]) =>
  names.flatMap(name =>
    readFileSync(path(name), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map(line => (JSON.parse(line) as { id: string }).id),
  );
const wanted = records.map((_, i) => String(i));

const tag = (...more: string[]) => [
  ...['tag', '--model', path('toy.model'), '--out', path('out.ndjson'), ...more],
  path('in.ndjson'),
];

/** A pipeline with a sink of files of at most 5,000 bytes. */
function pipelineOf(stages: string, more: string): string {
  const file = path('rotate.yaml');
  const text = `version: 1
name: rotate
source: { ndjson: { files: [${more.includes('train') ? 'train' : 'in'}.ndjson] } }
stages:
  - tokenize: {}
${stages}${more}sink: { file: out.ndjson, rotate: { bytes: 5000 } }
`;
  writeFileSync(file, text);
  return file;
}

const taggingStages = `  - featurize: { model: toy.model }
  - batch: { sentences: 4 }
  - tag: {}
`;
const learningStages = `  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
`;
const learning = 'train: { corpusSize: 400 }\nmodel: out.model\n';
const checkpoints = '  - checkpoint: { dir: steps, sentences: 50 }\n';

describe('an output that is rotated', () => {
  it.each([
    ['in blocks', []],
    ['record by record', ['--limit', '1000']],
    ['with checkpoints', ['--checkpoint', path('steps')]],
  ])(
    'is a series of files within the size, %s',
    { tags: 'slow', timeout: 120_000 },
    async (_, more) => {
      const { code, stderr } = await tagstream(tag('--rotate-bytes', '5000', ...more));
      expect(code, stderr).toBe(0);
      const files = series();
      expect(files.length).toBeGreaterThan(5);
      expect(idsIn(files)).toEqual(wanted);
      for (const name of files) expect(statSync(path(name)).size).toBeLessThanOrEqual(5000);
      expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toEqual([]);
    },
  );

  it.each([
    ['that tags', taggingStages, ''],
    ['that tags, with checkpoints', `${taggingStages}${checkpoints}`, ''],
    ['that learns', `${learningStages}  - tag: {}\n`, learning],
    ['that learns, with checkpoints', `${learningStages}${checkpoints}  - tag: {}\n`, learning],
  ])('is that of a pipeline %s', { tags: 'slow', timeout: 120_000 }, async (_, stages, more) => {
    await runPipeline(loadPipeline(pipelineOf(stages, more)), {});
    expect(series().length).toBeGreaterThan(5);
    expect(idsIn(series())).toEqual(wanted);
  });

  it('needs a file, and sizes that make sense', { timeout: 120_000 }, async () => {
    const refused = async (...more: string[]) => {
      const { code, stderr } = await tagstream(['tag', '--model', path('toy.model'), ...more]);
      expect(code, stderr).toBe(2);
      return stderr;
    };
    expect(await refused('--rotate-bytes', '5000')).toContain('name one with --out');
    expect(await refused('--out', path('out'), '--rotate-seconds', '0')).toContain('above 0');
  });
});

describe('an output in another format', () => {
  const text = Array.from({ length: 60 }, (_, i) => `The dog${i % 7} saw Ann.`).join('\n');
  const conllu = () => readdirSync(folder).filter(name => /^out\.\d{6}\.conllu$/.test(name));
  const arrange = (sink: string, stages = taggingStages) => {
    writeFileSync(path('in.txt'), `${text}\n`);
    const pipeline = `version: 1
name: written
source: { text: { files: [in.txt], records: paragraph } }
stages:
${stages}sink: { file: out.conllu, ${sink} }
`;
    writeFileSync(path('written.yaml'), pipeline);
    return path('written.yaml');
  };
  const whole = async () => {
    arrange('format: conllu');
    const input = ['--format', 'text', '--to', 'conllu', path('in.txt')];
    const { code, stdout, stderr } = await tagstream([
      ...['tag', '--model', path('toy.model')],
      ...input,
    ]);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const sentences = () => {
    const parts = conllu().map(name => readFileSync(path(name), 'utf8'));
    for (const part of parts) {
      // Comments are those of a sentence of the same file.
      expect(part).toMatch(/^# (?:[^\n]+\n)+(?:\d+\t[^\n]+\n)+\n/);
      expect(part).toMatch(/\n\n$/);
    }
    expect(parts.length).toBeGreaterThan(5);
    return parts.join('');
  };

  for (const { rows, tags } of everyNth(2, [
    ['in blocks', []],
    ['record by record', ['--limit', '1000']],
    ['in workers', ['--workers', '2']],
    ['with checkpoints', ['--checkpoint', path('steps')]],
  ])) {
    it.each(rows)('is cut between sentences, %s', { tags, timeout: 120_000 }, async (_, more) => {
      const expected = await whole();
      const rotated = ['--out', path('out.conllu'), '--rotate-bytes', '800', ...more];
      const { code, stderr } = await tagstream([
        ...['tag', '--model', path('toy.model'), '--format', 'text', '--to', 'conllu'],
        ...[...rotated, path('in.txt')],
      ]);
      expect(code, stderr).toBe(0);
      expect(sentences()).toBe(expected);
    });
  }

  it.each([
    ['in blocks', '', 1],
    ['in workers', '', 2],
    ['with checkpoints', checkpoints, 1],
  ])(
    'is that of a pipeline, %s',
    { tags: 'slow', timeout: 120_000 },
    async (_, stages, workers) => {
      const run = async (sink: string) => {
        const file = arrange(sink, `${taggingStages}${stages}`);
        await runPipeline(loadPipeline(file), { workers });
      };
      await run('format: conllu');
      const expected = readFileSync(path('out.conllu'), 'utf8');
      rmSync(path('steps'), { recursive: true, force: true });
      await run('format: conllu, rotate: { bytes: 800 }');
      expect(sentences()).toBe(expected);
      expect(expected).toBe(await whole());
    },
  );

  it('is refused with what has a form of its own', () => {
    const problem = (sink: string) => {
      try {
        loadPipeline(arrange(`format: conllu, ${sink}`));
        return 'loaded';
      } catch (thrown) {
        return String(thrown);
      }
    };
    expect(problem('output: tags')).toContain('format cannot be combined with `output: tags`');
    expect(problem('redact: x')).toContain('format cannot be combined with redact');
    expect(problem('output: record')).toBe('loaded');
  });
});

describe('an output that another program moves away', () => {
  it.each([
    ['in one file', [], '.tmp'],
    ['in a series', ['--rotate-seconds', '1000'], '.part'],
    ['in one file, with checkpoints', ['--checkpoint', path('steps')], '.part'],
    ['in workers', ['--workers', '2', '--rotate-bytes', '100000'], '.part'],
    ['record by record', ['--metrics', '0', '--rotate-bytes', '100000'], '.part'],
  ])('is continued, %s', { tags: 'slow', timeout: 120_000 }, async (_, more, ending) => {
    const run = start([...tag(...more).slice(0, -1), '-']);
    const growing = () =>
      readdirSync(folder).find(name => name.endsWith(ending) && statSync(path(name)).size > 0);
    for (const [at, from] of [0, 100, 200].entries()) {
      run.child.stdin!.write(`${records.slice(from, from + 100).join('\n')}\n`);
      while (growing() === undefined) await new Promise(resolve => setTimeout(resolve, 10));
      renameSync(path(growing()!), path(`out.${at}`));
    }
    run.child.stdin!.end(`${records.slice(300).join('\n')}\n`);
    const { code, stderr } = await run.closed;
    expect(code, stderr).toBe(0);
    const last = series()[0] ?? 'out.ndjson';
    expect(idsIn(['out.0', 'out.1', 'out.2', last])).toEqual(wanted);
    const left = readdirSync(folder).filter(name => name.endsWith(ending));
    expect(left).toEqual([]);
  });

  it('is continued after SIGTERM, which no supervisor has to repeat', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    const args = tag('--checkpoint', path('steps'), '--resume').slice(0, -1);
    const first = start([...args, '-']);
    first.child.stdin!.write(`${records.slice(0, 100).join('\n')}\n`);
    const part = path('out.ndjson.part');
    const size = () => statSync(part, { throwIfNoEntry: false })?.size ?? 0;
    const pause = () => new Promise(resolve => setTimeout(resolve, 10));
    while (size() === 0) await pause();
    renameSync(part, path('out.1'));
    first.child.stdin!.write(`${records.slice(100, 200).join('\n')}\n`);
    while (size() === 0) await pause();
    first.child.kill('SIGTERM');
    expect((await first.closed).code).toBe(0);
    renameSync(part, path('out.2'));
    const second = start([...args, '-']);
    second.child.stdin!.end(`${records.slice(200).join('\n')}\n`);
    const { code, stderr } = await second.closed;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('was moved or copied to');
    expect(idsIn(['out.1', 'out.2', 'out.ndjson'])).toEqual(wanted);
  });
});
