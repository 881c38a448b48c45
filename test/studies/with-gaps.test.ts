import { expect, it } from 'vitest';
import type { Values } from '../../src/studies/measures/quantities.js';
import type { MeasuredRun } from '../../src/studies/run-study.js';
import { withGaps } from '../../src/studies/study-results.js';

const run = (row: string, column: string | undefined, last: Values, course: Values[] = []) =>
  ({
    run: { row, column },
    measures: { values: last, times: {}, course: course.map(values => ({ values, times: {} })) },
  }) as unknown as MeasuredRun;

it('measures what has no dual from the best dual value of its column', () => {
  const runs = [
    run('dual', 'a', { objective: 100, gap: 0.1 }, [{ objective: 200, gap: 0.5 }]),
    run('better', 'a', { objective: 120, gap: 0.2 }),
    run('primal', 'a', { objective: 128, gap: null }, [{ objective: 192, gap: null }]),
    run('alone', 'b', { objective: 128, gap: null }),
    run('unasked', 'a', { objective: 128 }),
  ];
  const gaps = withGaps(runs).map(({ measures }) => measures.values.gap);
  // Dual values are 90, 100 and 96.
  expect(gaps).toEqual([0.1, 0.2, 28 / 128, null, undefined]);
  expect(withGaps(runs)[2]!.measures.course[0]!.values.gap).toBe(92 / 192);
});
