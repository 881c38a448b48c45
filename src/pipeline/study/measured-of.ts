import type { QuantityName } from './measures/quantities.js';
import type { StudyFile } from './study-schema.js';

/** What is to be measured of each run of a study: what it lists, and what its tables and plots show. */
export function measuredOf(study: StudyFile): ReadonlySet<QuantityName> {
  const { measure, tables = [], plots = [], expect = [] } = study;
  return new Set([
    ...measure,
    ...tables.flatMap(table => table.quantities ?? [table.quantity!]),
    ...plots.flatMap(({ course, x, y }) => (course ? [] : [x, y])),
    ...expect.map(({ quantity }) => quantity),
  ]);
}
