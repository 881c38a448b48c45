import { describe, expect, it } from 'vitest';
import { studyText } from '../../../src/reports/study/study-text.js';
import { parseStudy, type StudyOptions } from '../../../src/studies/load-study.js';
import type { QuantityName, Values } from '../../../src/studies/measures/quantities.js';
import { shownStudyOf } from '../../../src/studies/shown/shown-study-of.js';
import { workspace } from '../../cli/commands/workspace.js';
import { toyStudy, toyText } from '../toy-study.js';

const file = toyStudy(workspace());

/** A study whose runs have come to given values, by row / column. */
function shown(
  more: string,
  values: Record<string, Partial<Record<QuantityName, number | number[]>>>,
  options: StudyOptions = {},
) {
  const study = parseStudy(toyText(more), file, options);
  const runs = study.runs.flatMap((run, i) => {
    const of = values[`${run.row} / ${run.column}`];
    if (of === undefined) return [];
    const first = study.runs.findIndex(r => r.row === run.row && r.column === run.column);
    const picked = Object.entries(of).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : value[i - first],
    ]);
    const found = Object.fromEntries(picked) as Values;
    const course = [1, 2].map(passes => ({
      values: { passes, active: (found.active ?? 0) * passes },
      times: { seconds: passes / 2 },
    }));
    return [{ run, measures: { values: found, times: { seconds: 1.25 }, course } }];
  });
  return shownStudyOf(study, runs);
}

const values = {
  'sgd / few': { accuracy: 80.126, active: 1234 },
  'sgd / all': { accuracy: 90, active: 4000 },
  'sparse / few': { accuracy: 79, active: 100 },
  'sparse / all': { accuracy: 90.15, active: 399 },
};

describe('what a study shows', () => {
  it('is a table of rows by columns, published values and differences beside them', () => {
    const study = shown(
      `tables:
  - title: Accuracy
    quantity: accuracy
    published: { sgd: { few: 79.1, all: 90 }, sparse: { few: about 79 } }
    source: paper
    note: Of tokens.
`,
      values,
    );
    expect(studyText(study)).toBe(`Toys & more
4 runs

Accuracy
          few     paper   diff    all  paper  diff
sgd     80.13     79.10  +1.03  90.00  90.00  0.00
sparse  79.00  about 79         90.15
Of tokens.
`);
  });

  it('gives differences as exactly as what they are of', () => {
    const study = shown(
      `tables:
  - title: Passes
    quantity: passes
    published: { sgd: { few: 6.2, all: 6 }, sparse: { few: 6.25, all: 7 } }
replications: { count: 2 }
`,
      {
        'sgd / few': { passes: [6, 6] },
        'sgd / all': { passes: [6, 7] },
        'sparse / few': { passes: [6, 6] },
        'sparse / all': { passes: [7, 7] },
      },
    );
    expect(
      study.tables[0]!.rows.map(({ cells }) => cells.map(cell => Object.values(cell))),
    ).toEqual([
      [
        ['6', '6.2', '-0.2'],
        ['6.5 ± 0.7', '6', '+0.5'],
      ],
      [
        ['6', '6.25', '-0.25'],
        ['7', '7', '0'],
      ],
    ]);
  });

  it('leaves out tables of other rows and columns than were run, and shows all of what is left', () => {
    const tables = `tables:
  - { title: All, quantities: [accuracy], columns: [all] }
  - { title: SGD, quantity: accuracy, rows: [sgd] }
`;
    const titles = (options: StudyOptions) =>
      shown(tables, values, options).tables.map(({ title, rows }) => [title, rows.length]);
    expect(titles({})).toEqual([
      ['All', 2],
      ['SGD', 1],
    ]);
    expect(titles({ small: true })).toEqual([['SGD', 1]]);
    expect(titles({ only: ['sparse / all'] })).toEqual([['All', 1]]);
    expect(titles({ only: ['sparse / few'] })).toEqual([['Toys & more', 1]]);
    expect(shown(tables, {}).tables).toEqual([]);
  });

  it('is one table of everything that is measured where none is asked for', () => {
    const [table] = shown('', values).tables;
    expect(table!.heads.map(({ name }) => name)).toEqual([
      ...['accuracy', 'error', 'objective', 'active', 'passes', 'sentences', 'seconds'],
    ]);
    expect(table!.rows.map(({ name }) => name)).toEqual([
      ...['sgd / few', 'sgd / all', 'sparse / few', 'sparse / all'],
    ]);
    expect(table!.rows[1]!.cells.map(({ measured }) => measured)).toEqual([
      ...['90.00', '', '', '4,000', '', '', '1.3'],
    ]);
  });

  it('has means and deviations over replications', () => {
    const more = `replications: { count: 2 }
tables:
  - { title: T, quantities: [accuracy, active], columns: [all], published: { sgd: { active: 10 } } }
`;
    const study = shown(more, {
      'sgd / all': { accuracy: [90, 91], active: [10, 11] },
      'sparse / all': { accuracy: [90, 90], active: [1, 4] },
    });
    expect(study.tables[0]!.rows).toEqual([
      {
        name: 'sgd',
        cells: [
          { measured: '90.50 ± 0.71' },
          { measured: '10.5 ± 0.7', published: '10', difference: '+0.5' },
        ],
      },
      { name: 'sparse', cells: [{ measured: '90.00' }, { measured: '2.5 ± 2.1' }] },
    ]);
    expect(study.runs).toBe('8 runs, 4 of them finished');
  });

  it('compares a small study with nothing', () => {
    const more = `tables: [{ title: T, quantity: active, published: { sgd: { few: 5 } } }]
expect: [{ quantity: active, row: sgd, column: few, atMost: 5 }]
notes: [Of the full study.]
`;
    const { tables, expectations, notes, runs } = shown(more, values, { small: true });
    expect(tables[0]!.rows).toEqual([{ name: 'sgd', cells: [{ measured: '1,234' }] }]);
    expect([expectations, notes]).toEqual([[], []]);
    expect(runs).toBe('1 run; small, so that nothing compares with published values');
    expect(shown(more, values, { only: ['sgd/few'] }).runs).toBe('1 run of those asked for');
  });

  it('says whether what was expected has come out', () => {
    const more = `expect:
  - { quantity: active, row: sparse, column: all, atMost: 0.1, of: { row: sgd, column: all } }
  - { quantity: active, row: sparse, column: few, atMost: 0.08, of: { row: sgd, column: few } }
  - { quantity: accuracy, row: sgd, column: all, atLeast: 90, atMost: 90 }
  - { quantity: accuracy, rows: [sgd, sparse], column: all, within: 0.15 }
  - { quantity: accuracy, rows: [sgd, sparse], column: few, within: 1.12 }
  - { quantity: objective, row: sgd, column: all, atLeast: 1 }
`;
    const { expectations } = shown(more, values);
    expect(expectations.map(({ met }) => met)).toEqual([true, false, true, true, false, undefined]);
    expect(expectations[0]).toEqual({
      text: 'active of sparse / all is at most 0.1 times that of sgd / all',
      found: '399 and 4,000',
      met: true,
    });
    expect(studyText(shown(more, values))).toContain(
      'NO: accuracy of sgd, sparse are within 1.12 of each other (79.00 to 80.13)\n',
    );
  });

  it('draws runs, or their course, as lines', () => {
    const more = `course: { measure: [active] }
plots:
  - { title: P, x: active, y: accuracy, log: [x] }
  - { title: Q, x: active, y: accuracy, lines: columns, rows: [sparse] }
  - { title: R, x: seconds, y: active, course: true, columns: [all] }
`;
    const { plots } = shown(more, { ...values, 'sgd / few': { accuracy: 80, active: 0 } });
    const lines = plots.map(plot =>
      plot.lines.map(({ name, points }) => [name, ...points.map(({ x, y }) => [x, y])]),
    );
    expect(lines).toEqual([
      [
        // A logarithmic axis has no zero.
        ['sgd', [4000, 90]],
        ['sparse', [100, 79], [399, 90.15]],
      ],
      [
        ['few', [100, 79]],
        ['all', [399, 90.15]],
      ],
      [
        ['sgd / all', [0.5, 4000], [1, 8000]],
        ['sparse / all', [0.5, 399], [1, 798]],
      ],
    ]);
    expect(plots[0]!.x).toEqual({ title: 'active', digits: 0, log: true });
    expect(plots[2]!.lines[0]!.points[1]!.name).toBe('sgd / all, pass 2');
  });
});
