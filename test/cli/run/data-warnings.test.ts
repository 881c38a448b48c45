import { copyFileSync, linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadPipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../src/runtime/pipeline/run/run-pipeline.js';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const inFolder = { cwd: folder };

/** Sentences of six tokens, from some number on. */
function rows(count: number, from = 0): string {
  const sentence = (i: number) => `Ann${i} B-PER\nLee${i} I-PER\nsat O\non O\nmat${i} O\n. O\n\n`;
  return Array.from({ length: count }, (_, i) => sentence(from + i)).join('');
}

/** Training data and names of the copies of it. */
const copies = [
  'a.conll',
  'symbolic.conll',
  'hard.conll',
  'copy.conll',
  'a.conll.gz',
  'crlf.conll',
  'a.ndjson',
];

beforeAll(async () => {
  writeFileSync(path('a.conll'), rows(30));
  symlinkSync('a.conll', path('symbolic.conll'));
  linkSync(path('a.conll'), path('hard.conll'));
  copyFileSync(path('a.conll'), path('copy.conll'));
  writeFileSync(path('a.conll.gz'), gzipSync(rows(30)));
  writeFileSync(path('crlf.conll'), rows(30).replaceAll('\n', '\r\n'));
  await tagstream(['convert', 'a.conll', '--to', 'ndjson', '--out', 'a.ndjson'], inFolder);
  writeFileSync(path('half.conll'), rows(10) + rows(10, 100));
  writeFileSync(path('few.conll'), rows(2) + rows(28, 100));
  writeFileSync(path('other.conll'), rows(20, 100));
});

/** Warnings of a command about training and held-out data. */
function warned(stderr: string): string[] {
  return stderr.split('\n').filter(line => /training data/.test(line) && !/^estimate/.test(line));
}

/** A pipeline without `init`, which warns of its own. */
function pipelineOf(test: string, evaluates = false): string {
  const format = test.endsWith('.ndjson') ? 'ndjson: ' : 'conll: ';
  const columns = test.endsWith('.ndjson') ? '' : ', columns: [form, tag]';
  const source = `{ ${format}{ files: [${test}]${columns} } }`;
  writeFileSync(
    path('p.yaml'),
    `version: 1
name: p
source: { conll: { files: [a.conll], columns: [form, tag] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]"] }
  - batch
  - contribute
  - optimize: { sgd: {} }
${evaluates ? `  - evaluate: { on: ${source} }\n` : `test: ${source}\n`}train: { epochs: 1, seed: 1 }
model: p.model
`,
  );
  return 'p.yaml';
}

describe('held-out data that is the training data', () => {
  for (const { rows, tags } of everyNth(5, copies)) {
    it.each(rows)('is named by train, once, as %s', { tags }, async name => {
      for (const evaluates of [false, true]) {
        const { code, stderr } = await tagstream(['train', pipelineOf(name, evaluates)], inFolder);
        expect([code, warned(stderr).length]).toEqual([0, 1]);
        expect(warned(stderr)[0]).toMatch(/is the training data|all 30 sentences/);
        expect(warned(stderr)[0]).toContain('split: { every: 10, take: [9] }');
      }
    });
  }

  for (const { rows, tags } of everyNth(
    2,
    copies.filter(name => !name.endsWith('json')),
  )) {
    it.each(rows)('is named by init, as %s', { tags }, async name => {
      const { code, stderr } = await tagstream(['init', 'a.conll', name, '--out', '-'], inFolder);
      expect([code, warned(stderr).length]).toEqual([0, 1]);
    });
  }

  it('is named by eval, of a pipeline and with --train', async () => {
    await tagstream(['train', pipelineOf('symbolic.conll')], inFolder);
    const [pipeline, files] = await Promise.all([
      tagstream(['eval', 'p.yaml'], inFolder),
      tagstream(['eval', 'half.conll', '--model', 'p.model', '--train', 'a.conll'], inFolder),
    ]);
    expect(warned(pipeline.stderr)).toHaveLength(1);
    expect(warned(files.stderr)[0]).toContain('10 of 20 sentences of half.conll');
  });

  it('is named wherever the scores are, in text, JSON and pages', async () => {
    const trained = ['train', pipelineOf('copy.conll', true), '--html', 'train.html'];
    const { stderr } = await tagstream(trained, inFolder);
    const made = await tagstream(['eval', 'p.yaml', '--json', '--html', 'eval.html'], inFolder);
    const unseen = ['eval', 'other.conll', '--model', 'p.model', '--json', '--html', 'other.html'];
    const other = await tagstream(unseen, inFolder);
    const { warnings } = JSON.parse(made.stdout) as { warnings: string[] };
    expect(warnings).toEqual([expect.stringMatching(/is the training data|was trained on/)]);
    expect(made.stderr).toContain(warnings[0]);
    const page = (name: string) => readFileSync(path(name), 'utf8');
    expect(page('eval.html')).toMatch(/Warning:<\/strong> [^<]*(is the training|was trained on)/);
    expect(page('train.html')).toMatch(/Warning:<\/strong> [^<]*(training data)/);
    expect(warned(stderr)).toHaveLength(1);
    expect(JSON.parse(other.stdout)).toMatchObject({ warnings: [] });
    expect(page('other.html')).not.toContain('Warning:');
  });
});

describe('held-out sentences that are in the training data', () => {
  it('are counted where they are many', async () => {
    const [train, init] = [
      await tagstream(['train', pipelineOf('half.conll')], inFolder),
      await tagstream(['init', 'a.conll', 'half.conll', '--out', '-'], inFolder),
    ];
    expect(warned(train.stderr)[0]).toContain('10 of 20 sentences of the test data are in');
    expect(warned(init.stderr)[0]).toContain('10 of 20 sentences of half.conll are in');
  });

  it('are counted where workers read the training data', { tags: 'slow' }, async () => {
    const pipeline = loadPipeline(path(pipelineOf('half.conll')), { set: ['train.workers=2'] });
    const warnings: string[] = [];
    const onWarning = (code: string, message: string) => warnings.push(`${code}: ${message}`);
    await runPipeline(pipeline, { sharedReading: 0, events: { onWarning } });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('shared-sentences: 10 of 20 sentences of the test data');
  });

  it.each(['few.conll', 'other.conll'])(
    'are nothing to report where they are few: %s',
    { tags: 'slow' },
    async name => {
      const [train, init] = [
        await tagstream(['train', pipelineOf(name)], inFolder),
        await tagstream(['init', 'a.conll', name, '--out', '-'], inFolder),
      ];
      expect([...warned(train.stderr), ...warned(init.stderr)]).toEqual([]);
    },
  );

  it('are not those of another part of the same file', { tags: 'slow' }, async () => {
    await tagstream(['init', 'a.conll', '--out', 'split.yaml', '--force'], inFolder);
    const { stderr } = await tagstream(['train', 'split.yaml'], inFolder);
    const scored = await tagstream(['eval', 'split.yaml'], inFolder);
    expect([...warned(stderr), ...warned(scored.stderr)]).toEqual([]);
  });
});

describe('spans that begin as their scheme forbids', () => {
  const odd = 'Eva O\nAnn I-PER\nLee I-PER\n\nBob B-PER\nAnn I-LOC\n\n';

  it('are counted by init, train, eval and convert, with the first place', {
    tags: 'slow',
  }, async () => {
    writeFileSync(path('odd.conll'), rows(30) + odd);
    await tagstream(['init', 'odd.conll', '--out', 'odd.yaml', '--force'], inFolder);
    const outcomes = {
      init: await tagstream(['init', 'odd.conll', '--out', '-'], inFolder),
      train: await tagstream(['train', 'odd.yaml'], inFolder),
      eval: await tagstream(['eval', 'odd.conll', '--model', 'odd.model'], inFolder),
      convert: await tagstream(
        ['convert', 'odd.conll', '--to', 'ndjson', '--out', 'odd.ndjson'],
        inFolder,
      ),
    };
    for (const [command, { stderr }] of Object.entries(outcomes)) {
      const line = stderr.split('\n').find(text => /only continues one/.test(text));
      expect([command, line]).toEqual([
        command,
        expect.stringMatching(/2 of 3[03] spans begin .* in BIO/),
      ]);
      const place = command === 'train' ? path('odd.conll:211') : 'odd.conll:211';
      expect(line).toContain(`the first at ${place}: token 2 is I-PER after O`);
      expect(line).toContain('should be B-PER');
    }
  });

  it('are none in IOB1, which the converted data shows', async () => {
    writeFileSync(path('iob1.conll'), `${rows(30).replaceAll('B-PER', 'I-PER')}A I-X\nB B-X\n\n`);
    for (const given of [
      ['init', 'iob1.conll', '--out', '-'],
      ['convert', 'iob1.conll', '--to', 'ndjson'],
    ]) {
      expect((await tagstream(given, inFolder)).stderr).not.toContain('only continues');
    }
  });
});

describe('convert to spans', () => {
  it('judges tags by the whole file, not record by record', async () => {
    // The second record alone would be names of classes.
    writeFileSync(path('bmes.conll'), 'a B\nb M\nc E\n\nd B\ne E\nf S\n\n');
    const given = [
      'convert',
      'bmes.conll',
      '--from',
      'conll:{columns: [form, tag]}',
      '--to',
      'spans',
    ];
    const { stdout } = await tagstream(given, inFolder);
    const spans = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).spans.length);
    expect(spans).toEqual([1, 2]);
    writeFileSync(path('classes.conll'), 'a B\nb C\n\nc B\nd I\ne O\n\n');
    const classes = await tagstream([given[0]!, 'classes.conll', ...given.slice(2)], inFolder);
    expect(
      classes.stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).spans.length),
    ).toEqual([2, 2]);
  });

  it('names tags that become no spans', async () => {
    writeFileSync(path('mixed.conll'), `${rows(3)}x ODD\n\n`);
    const { stdout, stderr } = await tagstream(
      ['convert', 'mixed.conll', '--to', 'spans'],
      inFolder,
    );
    expect(stderr).toContain('the tags mark spans (BIO) but for "ODD", which become no spans');
    expect(JSON.parse(stdout.trim().split('\n')[0]!).spans).toHaveLength(1);
    expect(readFileSync(path('mixed.conll'), 'utf8')).toContain('ODD');
  });
});
