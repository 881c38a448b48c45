import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { crossValidate } from '../../../../src/runtime/pipeline/run/folds/cross-validate.js';
import { crossValidateGrid } from '../../../../src/runtime/pipeline/run/folds/penalty-grid.js';
import { learnCurve } from '../../../../src/runtime/pipeline/run/learn-curve.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { toyStudy, toyText } from '../../../studies/toy-study.js';

const folder = workspace();
toyStudy(folder);
const pipeline = join(folder, 'toy.yaml');

/** Training with it overflows at once. */
const lost = 'stages.optimize={sgd: {eta0: 1.0e+300}}';
const reason = /loss|diverges/;

/** Records with numbers, one of which is so large that only trainings without its record converge. */
function withHeavy(): string[] {
  for (const [from, to] of [
    ['train.ndjson', 'heavy.ndjson'],
    ['test.ndjson', 'light.ndjson'],
  ] as const) {
    const lines = readFileSync(join(folder, from), 'utf8').trim().split('\n');
    const numbered = lines.map((line, i) => {
      const record = JSON.parse(line) as { tokens: string[] };
      const n = record.tokens.map(() => (to === 'heavy.ndjson' && i === 50 ? 1e30 : 0.1));
      return JSON.stringify({ ...record, columns: { n } });
    });
    writeFileSync(join(folder, to), `${numbered.join('\n')}\n`);
  }
  const templates = 'stages.featurize.templates=["U00:%x[0,0]", "U01:%v[0,n]"]';
  const files = ['source.ndjson.files=[heavy.ndjson]', 'test.ndjson.files=[light.ndjson]'];
  return [templates, ...files, 'train.epochs=4'];
}

describe('a training that diverges', () => {
  it('is a row of its study, and the others run', async () => {
    const text = toyText(
      'expect: [{ quantity: active, row: lost, column: all, atLeast: 1 }]',
      'lost',
    )
      .replace(/rows:\n.*\n/, `rows:\n  - name: lost\n    set: { ${lost.replace('=', ': ')} }\n`)
      .replace('small: { set: { train.epochs: 1 }, rows: [sgd], columns: [few] }\n', '');
    const file = join(folder, 'lost.yaml');
    writeFileSync(file, text);
    const results = join(folder, 'lost.results.ndjson');
    for (const known of [false, true]) {
      const made = await tagstream(['study', file, '--results', results]);
      expect(made.stdout).toMatch(/^lost \/ few +diverged/m);
      expect(made.stdout).toMatch(/^sparse \/ all +[\d.]+/m);
      expect(made.stdout).toMatch(/NO: active of lost \/ all .*lost \/ all diverged/);
      expect(made.stderr.includes('known already')).toBe(known);
      expect(made.code).toBe(1);
    }
    const { stdout } = await tagstream(['study', file, '--results', results, '--json']);
    const { runs } = JSON.parse(stdout) as { runs: { row: string; diverged?: string }[] };
    expect(runs.map(({ diverged }) => diverged !== undefined)).toEqual([true, true, false, false]);
    expect(runs[0]!.diverged).toMatch(reason);
  });

  it('gives no point of a learning curve, and the others do', async () => {
    const curve = await learnCurve(loadPipeline(pipeline, { set: withHeavy() }), {
      sizes: [{ records: 10 }, { records: 40 }, { records: 60 }],
    });
    expect(curve.points.map(({ records }) => records)).toEqual([10, 40]);
    expect(curve.diverged).toEqual([{ records: 60, reason: expect.stringMatching(reason) }]);
    const set = withHeavy().flatMap(each => ['--set', each]);
    const { stdout, stderr } = await tagstream(['curve', pipeline, '--sizes', '10,60', ...set]);
    expect(stdout).toMatch(/^60 +diverged$/m);
    expect(stderr).toMatch(/60 records: .*(loss|diverges)/);
  });

  it.each([1, 2])(
    'is a fold that no figure covers (%i workers)',
    { tags: 'slow' },
    async workers => {
      const given = { folds: 3, seed: 1, workers, set: withHeavy() };
      const { result, diverged } = (await crossValidate(pipeline, given))!;
      // Two of three folds are trained on the heavy record.
      expect(diverged).toHaveLength(2);
      expect(diverged[0]!.reason).toMatch(reason);
      expect(result.folds).toHaveLength(1);
      expect(result.pooled.sentences).toBe(result.folds[0]!.sentences);
      const all = crossValidate(pipeline, { ...given, set: [lost] });
      await expect(all).rejects.toMatchObject({ code: 'numeric' });
    },
  );

  it('is a setting of a grid that is not chosen', { tags: 'slow' }, async () => {
    const naive = 'stages.optimize={sgd-l1: {penalty: naive}}';
    const grid = { l1: [0, 0.1, 10_000] };
    const set = [naive, 'train.epochs=4'];
    const found = (await crossValidateGrid(pipeline, { grid, set, folds: 2 }))!;
    expect(found.settings.map(({ penalties }) => penalties)).toEqual([{ l1: 0 }, { l1: 0.1 }]);
    expect(found.diverged.map(({ penalties }) => penalties)).toEqual([{ l1: 10_000 }]);
    expect(found.set).toEqual(['stages.optimize.sgd-l1.l1=0.1']);
    const shown = await tagstream([
      ...['crossval', pipeline, '--grid', 'l1=0,10000', '--folds', '2'],
      ...set.flatMap(each => ['--set', each]),
    ]);
    expect(shown.stdout).toMatch(/^10000 +diverged$/m);
    await expect(
      crossValidateGrid(pipeline, { grid: { l1: [1e4, 2e4] }, set, folds: 2 }),
    ).rejects.toMatchObject({ code: 'numeric' });
  });
});
