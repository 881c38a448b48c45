// @module-tag slow
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../cli/commands/run-command.js';
import { thrownBy } from '../../cli/commands/thrown-by.js';
import { workspace } from '../../cli/commands/workspace.js';
import { isNightly } from '../long-forms.js';
import { parseOptions } from './options.mjs';
import { findPeers } from './peers/find-peers.mjs';
import { printMarkdown } from './report/print-markdown.mjs';
import { chooseSections } from './sections/choose-sections.mjs';

const folder = workspace();
const program = join(root, 'test/house/bench/run.mjs');

/** No corpora, and no peers whatever the machine has, but for those that are given. */
const environment = { TAGSTREAM_CORPORA: folder, CRFSUITE: '', WAPITI: '', CRF_LEARN: '' };

function bench(given: readonly string[], peers: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...environment, ...peers };
  return promisify(execFile)(process.execPath, [program, ...given], { env });
}

interface Row {
  readonly group: string;
  readonly what: string;
  readonly runs: number;
  readonly seconds: number;
  readonly tokens?: number;
  readonly peakBytes?: number;
  readonly f1?: number;
  readonly modelBytes?: number;
  readonly ratios: Readonly<Record<string, number>>;
  readonly failed?: string;
}

interface Growth {
  readonly section: string;
  readonly title: string;
  readonly rows: readonly { what: string; tokens: number; micros: number; ratio: number }[];
}

interface Report {
  readonly corpus: { name: string; train: { sentences: number }; test: { sentences: number } };
  readonly peers: readonly string[];
  readonly rows: readonly Row[];
  readonly growth: readonly Growth[];
}

/** What is measured: everything in the long form. */
const part = ['kernels', 'peers-train', 'peers-tag', 'start', 'growth-length'];
const chosen = isNightly ? [] : ['--only', part.join(',')];

describe('the benchmark', () => {
  let report: Report;
  /** Those that did not fail. */
  let measured: Row[];
  let code: number;
  const rowsOf = (group: string) => measured.filter(row => row.group === group);

  // With a peer that cannot be run.
  beforeAll(async () => {
    const wapiti = join(folder, 'no-wapiti');
    const outcome = await bench(['--quick', '--json', ...chosen], { WAPITI: wapiti }).catch(
      (error: { code: number; stdout: string }) => error,
    );
    code = 'code' in outcome ? outcome.code : 0;
    report = JSON.parse(outcome.stdout) as Report;
    measured = report.rows.filter(({ failed }) => failed === undefined);
  });

  it('says what it ran on', () => {
    expect(report.corpus.name).toBe('synthetic chunks, cut');
    expect(report.corpus.train.sentences).toBe(160);
    expect(report.corpus.test.sentences).toBe(80);
    expect(report.peers).toEqual(['Wapiti SGD-L1']);
    expect(findPeers(environment)).toEqual([]);
  });

  it('measures every row', () => {
    for (const row of measured) {
      // Those of a page are answers and keys.
      const isWaited = / p\d\d$/.test(row.what);
      if (isWaited) expect(row.runs, row.what).toBeGreaterThan(1);
      else expect(row.runs, row.what).toBe(1);
      // Those of the profile are differences of two times, which noise can put below 0.
      if (row.group === 'profile') expect(row.seconds, row.what).toBeTypeOf('number');
      else expect(row.seconds, row.what).toBeGreaterThan(0);
    }
    const groups = new Set(measured.map(({ group }) => group));
    const measuredOnlyThen = ['uses', 'stages', 'workers', 'latency', 'rates'];
    for (const group of [
      'kernels',
      'train',
      'tag',
      'start',
      ...(isNightly ? measuredOnlyThen : []),
    ])
      expect(groups).toContain(group);
  });

  it('ends with 1 where a peer cannot be run, which fails by itself', () => {
    expect(code).toBe(1);
    const failed = report.rows.filter(row => row.failed !== undefined);
    expect(failed.map(({ group, what }) => [group, what])).toEqual([
      ['train', 'Wapiti SGD-L1'],
      ['tag', 'Wapiti SGD-L1'],
    ]);
    for (const { failed: why } of failed) expect(why).toContain('no-wapiti');
    expect(rowsOf('train').map(({ what }) => what)).toEqual([
      ...['conll2000-chunking', 'conll2000-sgd-l1', 'conll2000-perceptron'],
    ]);
  });

  it('gives ratios of wall times', () => {
    const rows = rowsOf('kernels').filter(({ what }) => what.startsWith('decode, 96 labels'));
    const [simd, ...others] = rows;
    expect(rows.map(({ what }) => what.split(': ')[1])).toEqual(['simd', 'simd64', 'reference']);
    expect(simd!.ratios).toEqual({});
    for (const { ratios, seconds } of others)
      expect(ratios).toEqual({ [simd!.what]: seconds / simd!.seconds });
  });

  it('gives F1, memory and model size of whole processes', () => {
    const rows = [...rowsOf('train'), ...rowsOf('tag')];
    expect(rows.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        ...['conll2000-chunking', 'conll2000-sgd-l1', 'conll2000-perceptron', 'tagstream tag'],
      ]),
    );
    for (const { what, f1, peakBytes, modelBytes } of rows) {
      expect(f1, what).toBeGreaterThan(70);
      expect(modelBytes, what).toBeGreaterThan(1000);
      if (process.platform === 'linux') expect(peakBytes, what).toBeGreaterThan(20e6);
    }
    // The same model, scored by eval and from what tag printed.
    const sparse = rows.find(({ what }) => what === 'conll2000-sgd-l1')!;
    const tagged = rows.find(({ what }) => what === 'tagstream tag')!;
    expect(tagged.f1).toBeCloseTo(sparse.f1!, 10);
    expect(tagged.modelBytes).toBe(sparse.modelBytes);
  });

  it('gives growth with tokens, labels, templates and the length of sentences', () => {
    const tables = report.growth.map(({ section, rows }) => [
      section,
      rows.map(({ what }) => what).join(' '),
    ]);
    const lengths = '10 100 1000 10000';
    const all = [
      ...[
        ['growth-tokens', 'x1 x2 x4 x8'],
        ['growth-tokens', 'x1 x2 x4 x8'],
        ['growth-tagging', 'x1 x2 x4 x8'],
        ['growth-stream', 'x1 x2 x4 x8'],
      ],
      ...['growth-labels', 'growth-labels'].map(name => [name, '8 32 128 512']),
      ...['growth-features', 'growth-features'].map(name => [name, 'x1 x2 x4 x8']),
      ...['growth-length', 'growth-length'].map(name => [name, lengths]),
    ];
    expect(tables).toEqual(all.filter(([name]) => isNightly || part.includes(name!)));
    for (const { title, rows } of report.growth.filter(
      ({ section }) => section !== 'growth-stream',
    )) {
      expect(rows[0]!.ratio, title).toBe(1);
      for (const { micros, ratio } of rows)
        expect(ratio, title).toBeCloseTo(micros / rows[0]!.micros, 10);
    }
  });

  it('grows what it says', () => {
    const tokens = (title: string) =>
      report.growth.find(table => table.title === title)!.rows.map(row => row.tokens);
    expect(tokens('decoding, tokens of a sentence')).toEqual(Array(4).fill(10_000));
    if (!isNightly) return;
    const [first, ...more] = tokens('training, tokens of the same sentences');
    expect(more).toEqual([2, 4, 8].map(times => times * first!));
  });
});

describe('the options of the benchmark', () => {
  it('choose sections, print tables and keep the folder', async () => {
    const work = join(folder, 'kept');
    const given = ['--only', 'rates', '--runs', '2', '--work', work];
    const { stdout } = await bench(['--quick', ...given]);
    expect(stdout).toMatch(/^node v\d+.*\nsynthetic chunks, cut: .* tokens to train on/);
    expect(stdout).toMatch(/^rates: encode and decode tokens +2 .* x decode encoded sentences$/m);
    expect(stdout).not.toContain('stages:');
    expect(existsSync(join(work, 'conll2000-sgd-l1.model'))).toBe(true);
  });

  it.each([
    [['--only', 'speed'], '--only speed: expected some of stages'],
    [['--runs', '0'], '--runs 0: expected a whole number from 1'],
    [['--fast'], '--fast'],
  ])('are refused where they are wrong: %j', (given, said) => {
    const message = expect.stringContaining(said) as string;
    const names = () => chooseSections(['stages', 'kernels'], parseOptions([...given]).only);
    expect(thrownBy(names)).toMatchObject({ message });
  });

  it('are refused with exit code 2', async () => {
    const stderr = expect.stringContaining('--only speed: expected some of uses') as string;
    await expect(bench(['--only', 'speed'])).rejects.toMatchObject({ code: 2, stderr });
  });
});

describe('the page of measurements', () => {
  it('has each question with its command and its table, and where and when it was measured', () => {
    const row = { section: 'start', group: 'start', what: '--help', runs: 5, seconds: 0.05 };
    const lines: string[] = [];
    const report = {
      ...{ date: '2026-01-02', commit: 'abc', node: 'v20', processors: '2 x CPU' },
      ...{ corpus: { name: 'chunks' }, growth: [], rows: [{ ...row, ratios: { empty: 1.5 } }] },
    };
    printMarkdown(report, { write: text => lines.push(text) });
    const page = lines.join('');
    expect(page).toContain('2026-01-02, commit abc, Node v20, 2 x CPU. Corpus: chunks.');
    expect(page).toContain(
      [
        ...['## How long does a process take to start and to load a model?', ''],
        ...['`npm run bench -- --only start`', ''],
        ...['|  | runs | wall s | wall / wall of |', '| --- | ---: | ---: | ---: |'],
        '| start: --help | 5 | 0.0500 | 1.50 x empty |\n',
      ].join('\n'),
    );
    expect(page.match(/^## /gm)).toHaveLength(1);
  });
});
