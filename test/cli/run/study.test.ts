import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toyStudy } from '../../studies/toy-study.js';
import { tagstream } from '../commands/run-command.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const more = `tables: [{ title: Active, quantity: active }]
course: { measure: [active] }
plots: [{ title: P, x: passes, y: active, course: true }]
`;
const study = toyStudy(folder, more);
const results = join(folder, 'toy-study.results.ndjson');

describe('tagstream study', () => {
  it('lists its runs without making them', async () => {
    const { stdout, code } = await tagstream(['study', study, '--dry-run', '--only', 'few']);
    expect([stdout, code]).toEqual(['sgd / few\nsparse / few\n', 0]);
    expect(existsSync(results)).toBe(false);
  });

  it('makes runs, reports their course, and continues with those that are left', async () => {
    const first = await tagstream(['study', study, '--only', 'sgd/all', '--only', 'sparse/all']);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(
      /^Toys & more\n2 runs of those asked for\n\nActive\n +all\nsgd +[\d,]+\nsparse +[\d,]+\n$/,
    );
    expect(first.stderr).toMatch(/1\/2 {2}sgd \/ all: accuracy [\d.]+ {2}error/);
    expect(readFileSync(results, 'utf8').trim().split('\n')).toHaveLength(2);

    const page = join(folder, 'page.html');
    const all = await tagstream(['study', study, '--json', '--html', page]);
    expect(all.stderr).toContain('2/4  sgd / all: known already');
    const { runs, tables, name } = JSON.parse(all.stdout);
    expect([name, runs.length, tables[0].rows.length]).toEqual(['toy-study', 4, 2]);
    expect(Object.keys(runs[0])).toEqual(['row', 'column', 'seed', 'values', 'times', 'course']);
    expect(runs[0].values).not.toHaveProperty('seconds');
    expect(readFileSync(page, 'utf8')).toContain('<h1>Toys &amp; more</h1>');
  });

  it('ends with 1 where something that was expected does not come out', async () => {
    const expectation = 'expect: [{ quantity: active, row: sgd, column: few, atMost: 1 }]';
    const file = toyStudy(folder, expectation, 'toy-two');
    const given = ['study', file, '--only', 'sgd/few', '--results', join(folder, 'two.ndjson')];
    const missed = await tagstream(given);
    expect(missed.code).toBe(1);
    expect(missed.stdout).toContain('NO: active of sgd / few is at most 1 (');
    expect(missed.stderr).toContain('expected results not met: 1');
    const wrong = await tagstream(['study', file, '--set', 'train.epochs=none']);
    expect([wrong.code, wrong.stdout]).toEqual([78, '']);
  });
});
