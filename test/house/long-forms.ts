/** Whether the long form of all tests is asked for, hours of it: `npm run test:night` sets `TAGSTREAM_FULL=1`. */
export const isNightly = process.env.TAGSTREAM_FULL === '1';

/**
 * Seed of tests that draw cases: always the same, unless `TAGSTREAM_SEED` gives another one, as it does at night. What
 * fails names it.
 */
export const testSeed = readSeed('TAGSTREAM_SEED', 1);

/** Returns the seed that a variable of the environment gives. */
export function readSeed(variable: string, usual: number): number {
  const given = process.env[variable] ?? `${usual}`;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new Error(`${variable}=${given} is not a whole number of up to nine digits`);
}

/** Rows of a table, and the tags of their tests. */
export interface Part<Row> {
  readonly rows: readonly Row[];
  readonly tags: 'slow'[];
}

/**
 * Divides the rows of a table into those that always run, every nth from the first, and the slow rest.
 *
 * @example
 * for (const { rows, tags } of everyNth(3, cases)) it.each(rows)('tags %s', { tags }, ...)
 */
export function everyNth<Row extends unknown[] | [unknown]>(
  n: number,
  rows: readonly Row[],
): Part<Row>[];
export function everyNth<Row>(n: number, rows: readonly Row[]): Part<Row>[];
export function everyNth<Row>(n: number, rows: readonly Row[]): Part<Row>[] {
  return divided(rows, (_, i) => i % n === 0);
}

/** The value of a row in each dimension. */
type ValuesOf<Row> = (row: Row) => readonly unknown[];

/**
 * Divides the rows of a table into a small set that covers every pair of values of two dimensions, and the slow rest. The
 * set is found greedily: always the row that covers most pairs that none before has; of these one whose values are taken
 * least often so far, so that many values of one dimension share those of the others evenly.
 */
export function coverPairs<Row extends unknown[] | [unknown]>(
  rows: readonly Row[],
  valuesOf: ValuesOf<Row>,
): Part<Row>[];
export function coverPairs<Row>(rows: readonly Row[], valuesOf: ValuesOf<Row>): Part<Row>[];
export function coverPairs<Row>(rows: readonly Row[], valuesOf: ValuesOf<Row>): Part<Row>[] {
  return covered(rows, valuesOf, values =>
    values.flatMap((a, i) => values.slice(i + 1).map(b => `${a} ${b}`)),
  );
}

/** Does the same with a set that covers every value of every dimension, which has fewer rows. */
export function coverValues<Row extends unknown[] | [unknown]>(
  rows: readonly Row[],
  valuesOf: ValuesOf<Row>,
): Part<Row>[];
export function coverValues<Row>(rows: readonly Row[], valuesOf: ValuesOf<Row>): Part<Row>[];
export function coverValues<Row>(rows: readonly Row[], valuesOf: ValuesOf<Row>): Part<Row>[] {
  return covered(rows, valuesOf, values => values);
}

function covered<Row>(
  rows: readonly Row[],
  valuesOf: ValuesOf<Row>,
  marksOf: (values: readonly string[]) => readonly string[],
): Part<Row>[] {
  const values = rows.map(row => valuesOf(row).map((value, i) => `${i}:${value}`));
  const marks = values.map(marksOf);
  const missing = new Set(marks.flat());
  const times = new Map<string, number>();
  const taken = new Set<number>();
  while (missing.size > 0) {
    let best = 0;
    let [most, least] = [0, 0];
    for (const [i, own] of marks.entries()) {
      const found = own.filter(mark => missing.has(mark)).length;
      if (found < most || found === 0) continue;
      const used = values[i]!.reduce((sum, value) => sum + (times.get(value) ?? 0), 0);
      if (found > most || used < least) [best, most, least] = [i, found, used];
    }
    taken.add(best);
    for (const value of values[best]!) times.set(value, (times.get(value) ?? 0) + 1);
    for (const mark of marks[best]!) missing.delete(mark);
  }
  return divided(rows, (_, i) => taken.has(i));
}

function divided<Row>(
  rows: readonly Row[],
  isFast: (row: Row, place: number) => boolean,
): Part<Row>[] {
  const parts: Part<Row>[] = [
    { rows: rows.filter(isFast), tags: [] },
    { rows: rows.filter((row, i) => !isFast(row, i)), tags: ['slow'] },
  ];
  return parts.filter(part => part.rows.length > 0);
}
