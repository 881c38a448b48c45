import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadStudy, parseStudy } from '../../src/studies/load-study.js';
import { workspace } from '../cli/commands/workspace.js';
import { toyStudy, toyText } from './toy-study.js';

const folder = workspace();
const file = toyStudy(folder);

/** Rows, columns and seeds of a study's runs, as `row column seed`. */
function runsOf(text: string, options: Parameters<typeof parseStudy>[2] = {}): string[] {
  const { runs } = parseStudy(text, file, options);
  return runs.map(({ row, column, seed }) => [row, column, seed].filter(Boolean).join(' '));
}

const optimizer = (run: { pipeline: { stages: readonly { options: object }[] } }) =>
  run.pipeline.stages.map(({ options }) => options).find(o => 'sgd' in o || 'sgd-l1' in o);

describe('loadStudy', () => {
  it('crosses rows by columns, and lays settings over the pipeline', () => {
    const { runs, rows, columns } = loadStudy(file);
    expect([rows, columns]).toEqual([
      ['sgd', 'sparse'],
      ['few', 'all'],
    ]);
    expect(runsOf(toyText())).toEqual(['sgd few 1', 'sgd all 1', 'sparse few 1', 'sparse all 1']);
    expect(runs.map(({ pipeline }) => pipeline.source.options.limit)).toEqual([
      ...[10, undefined, 10, undefined],
    ]);
    expect(optimizer(runs[0]!)).toMatchObject({ sgd: { eta0: 0.2 } });
    expect(optimizer(runs[2]!)).toMatchObject({ 'sgd-l1': { l1: 0.5 } });
    expect(runs.map(({ pipeline }) => pipeline.train!.epochs)).toEqual([3, 3, 3, 3]);
    // The seed of the replication, not that of the pipeline.
    expect(runs.map(({ pipeline }) => pipeline.train!.seed)).toEqual([1, 1, 1, 1]);
    expect(runs.map(({ pipeline }) => pipeline.model)).toEqual(new Array(4).fill(undefined));
  });

  it('takes variables, whose values have the type that is wanted where they stand', () => {
    const text = toyText('title: ${N}\nreplications: { count: "${N}" }').replace(/title:.*\n/, '');
    const set = ['train.epochs=${EPOCHS:-5}'];
    const environment = { N: '2' };
    const { options, runs } = parseStudy(text, file, { environment, set, only: ['sgd/few'] });
    expect([options.title, options.replications.count]).toEqual(['2', 2]);
    expect(runs.map(({ pipeline }) => pipeline.train!.epochs)).toEqual([5, 5]);
    expect(() => parseStudy(text, file, { environment: { N: 'two' } })).toThrow(
      /replications\.count: .*expected a number; \$\{N\} gives a text of 3 characters/,
    );
  });

  it('repeats runs with seeds wherever they are asked for', () => {
    const { runs } = parseStudy(
      toyText('replications: { count: 2, seed: 8, set: [train.seed, batchSize] }').replace(
        'batchSize',
        'stages.batch.sentences',
      ),
      file,
      { only: ['sgd/few'] },
    );
    expect(runs.map(({ seed, pipeline }) => [seed, pipeline.train!.seed])).toEqual([
      [8, 8],
      [9, 9],
    ]);
    const batches = runs.map(
      ({ pipeline }) =>
        pipeline.stages.find(({ component }) => component.name === 'batch')!.options.sentences,
    );
    expect(batches).toEqual([8, 9]);
  });

  it('leaves out and changes single runs', () => {
    const cells = `cells:
  - { row: sgd, column: few, skip: true }
  - { row: sparse, set: { stages.optimize.sgd-l1.l1: 2 } }
`;
    expect(runsOf(toyText(cells))).toEqual(['sgd all 1', 'sparse few 1', 'sparse all 1']);
    const { runs } = parseStudy(toyText(cells), file);
    expect(runs.slice(1).map(optimizer)).toMatchObject([
      { 'sgd-l1': { l1: 2 } },
      { 'sgd-l1': { l1: 2 } },
    ]);
  });

  it('is small, or has some variants only, where that is asked for', () => {
    expect(runsOf(toyText(), { small: true })).toEqual(['sgd few 1']);
    const { runs, small } = parseStudy(toyText(), file, { small: true, set: ['train.seed=5'] });
    expect([small, runs[0]!.pipeline.train!.epochs]).toEqual([true, 1]);
    expect(runsOf(toyText(), { only: ['sparse'] })).toEqual(['sparse few 1', 'sparse all 1']);
    expect(runsOf(toyText(), { only: ['all'] })).toEqual(['sgd all 1', 'sparse all 1']);
    expect(runsOf(toyText(), { only: ['sgd / all', 'sparse/few'] })).toEqual([
      ...['sgd all 1', 'sparse few 1'],
    ]);
    const skipped = toyText('cells: [{ row: sgd, column: few, skip: true }]\n');
    expect(() => runsOf(skipped, { small: true })).toThrow(
      /:15:1: small: the small study has no runs/,
    );
    expect(() => runsOf(toyText(), { only: ['dense'] })).toThrow(/--only dense.*no such variant/);
  });

  it('takes a pipeline that stands in it, and other files for variants', () => {
    const pipeline = `pipeline:
  source: { ndjson: { files: [train.ndjson] } }
  stages:
    - featurize: { templates: ["U00:%x[0,0]"] }
    - batch
    - contribute
    - optimize: { sgd: { eta0: 0.1 } }
  train: { epochs: 2 }
  test: { ndjson: { files: [test.ndjson] } }`;
    const inline = toyText().replace('pipeline: toy.yaml', pipeline);
    const { runs } = parseStudy(inline, file);
    expect(runs[0]!.pipeline.name).toBe('toy-study');
    expect(optimizer(runs[0]!)).toMatchObject({ sgd: { eta0: 0.1 } });
    const other = inline.replace('- name: all', '- name: all\n    pipeline: toy.yaml');
    const mixed = parseStudy(other, file).runs;
    expect(mixed.map(run => run.pipeline.name)).toEqual(['toy-study', 'toy', 'toy-study', 'toy']);
  });

  it.each([
    ['small:', 'smal:', /:15:1: smal: unknown key "smal" .did you mean small/],
    ['measure: [accuracy', 'measure: [accurracy', /:14:11: measure\[0\]/],
    ['- name: sparse', '- name: sgd', /:8:5: .*the name "sgd" occurs twice/],
    ['rows: [sgd]', 'rows: [sgdd]', /:15:43: small.rows.*no row "sgdd" .did you mean sgd/],
    ['l1: 0.5', 'l11: 0.5', /toy-study.yaml:9:5: .*unknown key "l11".*did you mean l1/],
    ['source.ndjson.limit: 10', 'source.ndjson.limit: -1', /toy-study.yaml:12:5: source.ndjson/],
    ['train.epochs: 3', 'train.epochs: no', /toy-study.yaml:5:1: train.epochs/],
    ['pipeline: toy.yaml', 'pipeline: none.yaml', /toy-study.yaml:4:1: .*none.yaml/],
    ['train.epochs: 3', 'test: null', /test/],
  ])('reports where it is wrong: %s -> %s', (from, to, message) => {
    const text = toyText();
    expect(text).toContain(from);
    expect(() => parseStudy(text.replace(from, to), file)).toThrow(message);
  });

  it.each([
    ['tables: [{ title: T, quantity: active, quantities: [active] }]', /either quantity or quant/],
    ['tables: [{ title: T, quantity: active, rows: [x] }]', /no row "x"/],
    ['tables: [{ title: T, quantity: active, published: { sgd: { al: 1 } } }]', /no column "al"/],
    ['tables: [{ title: T, quantity: active, published: { sgd/all: { f1: 1 } } }]', /"f1"/],
    ['plots: [{ title: P, x: passes, y: active, course: true }]', /not measured during the runs/],
    ['expect: [{ quantity: active, row: sgd, column: all }]', /row with atLeast or atMost/],
    ['expect: [{ quantity: active, row: sgd, column: one, atMost: 3 }]', /no column "one"/],
  ])('checks what is shown: %s', (more, message) => {
    expect(() => parseStudy(toyText(more), file)).toThrow(message);
  });

  it('refuses pipelines that it cannot measure', () => {
    const bare = join(folder, 'bare.yaml');
    const text = `version: 1
name: bare
source: { ndjson: { files: [train.ndjson] } }
stages: [{ featurize: { templates: ["U00:%x[0,0]"] } }, batch, contribute, { optimize: { sgd: {} } }]
train: { corpusSize: 60 }
`;
    writeFileSync(bare, text);
    const study = (measure: string) => `version: 1
name: s
title: S
pipeline: bare.yaml
replications: { set: [train.seed] }
rows: [{ name: one }]
measure: [${measure}]
`;
    expect(() => parseStudy(study('f1'), file)).toThrow(/one: f1 needs test data/);
    expect(() => parseStudy(study('objective'), file)).toThrow(/objective needs a corpus/);
    expect(parseStudy(study('active'), file).runs).toHaveLength(1);
    writeFileSync(bare, text.replace('train.ndjson', '"-"'));
    expect(() => parseStudy(study('active'), file)).toThrow(/several times/);
  });

  it('reports a file that is not there', () => {
    expect(() => loadStudy(join(folder, 'none.yaml'))).toThrow(/none.yaml/);
  });
});
