import { relative, resolve } from 'node:path';
import {
  expect,
  type RunnerTask,
  type RunnerTestCase,
  type RunnerTestFile,
  TestRunner,
} from 'vitest';
import { Random } from '../../../src/core/random.js';
import { connected, costly, dear, fewest, turns } from './long-tests.js';
import { isNightly } from './nightly.js';
import { shareSeed } from './seed.js';

const root = resolve(import.meta.dirname, '../../..');

// Typed arrays with the same numbers are equal without a look at each as a property, which takes fifty times as long. What
// differs goes the usual way, to be shown.
expect.addEqualityTesters([(a, b) => (haveSameNumbers(a, b) ? true : undefined)]);

/** Whether both are typed arrays of one type with the same numbers; 0 is not -0, and NaN is NaN, as in `toEqual`. */
function haveSameNumbers(a: unknown, b: unknown): boolean {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a instanceof DataView) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const [x, y] = [a, b] as unknown as [ArrayLike<number>, ArrayLike<number>];
  if (x.length !== y.length) return false;
  for (let i = 0; i < x.length; i += 1) if (!Object.is(x[i], y[i])) return false;
  return true;
}

/** Whether all is asked for, or a file by its name. */
const isWhole = isNightly || process.env.TAGSTREAM_NAMED === '1';

/**
 * Runs all tests that are one of a kind, and of tables a share of the rows, drawn with the seed of the run. Rows are tests
 * that are written in the same place. Those that are not drawn are skipped.
 */
export default class ShareRunner extends TestRunner {
  async onCollected(files: RunnerTestFile[]): Promise<void> {
    if (isWhole) return;
    const left: RunnerTestCase[] = [];
    for (const file of files) {
      skip(file, leaveOut(file), left);
    }
    await (this as { onTaskUpdate?: TaskUpdate }).onTaskUpdate?.(
      left.map(({ id, meta }) => [id, { state: 'skip' }, meta]),
      [],
    );
  }
}

type TaskUpdate = (
  packs: [id: string, result: { state: 'skip' }, meta: object][],
  events: [],
) => Promise<void>;

/** Of the tests of these files one in so many runs, by their paths. */
const testsApart = new Map<string, number>(
  costly.flatMap(([apart, folder, names]) =>
    names.split(' ').map(name => [`test/${folder}/${name}.test.ts`, apart] as const),
  ),
);

/** The tests of a file that this run leaves out. */
function leaveOut(file: RunnerTestFile): ReadonlySet<RunnerTestCase> {
  const path = relative(root, file.filepath);
  const tests = testsOf(file);
  if (turns.some(each => each.files.includes(path) && !drawn(each.files, each.take, path))) {
    return new Set(tests);
  }
  const left = new Set<RunnerTestCase>();
  const pagesApart = connected.get(path);
  if (pagesApart !== undefined) {
    for (const [place, pages] of byPlace(path, file.tasks)) {
      if (pages.length < fewest) continue;
      for (const page of rowsLeft(pages, pagesApart, place))
        for (const each of testsOf(page)) left.add(each);
    }
    return left;
  }
  for (const [place, rows] of byPlace(path, tests)) {
    if (rows.length < fewest) continue;
    for (const row of rowsLeft(rows, rowsApart(path), place)) left.add(row);
  }
  const rest = tests.filter(test => !left.has(test));
  for (const test of rowsLeft(rest, testsApart.get(path) ?? 1, path)) left.add(test);
  return left;
}

/** Tests or suites by where they are written: the rows of a table are written in the same place. */
function byPlace<Task extends RunnerTask>(path: string, tasks: readonly Task[]) {
  const places = new Map<string, Task[]>();
  for (const task of tasks) {
    const place = `${path}:${task.location?.line}:${task.location?.column}`;
    const rows = places.get(place);
    if (rows === undefined) places.set(place, [task]);
    else rows.push(task);
  }
  return places;
}

/** All rows but one of each few that follow each other: what is alike is usually close. */
function rowsLeft<Row>(rows: readonly Row[], apart: number, place: string): Row[] {
  const random = seeded(place);
  const left: Row[] = [];
  for (let first = 0; first < rows.length; first += apart) {
    const few = rows.slice(first, first + apart);
    const taken = random.below(few.length);
    left.push(...few.filter((_, i) => i !== taken));
  }
  return left;
}

/** One row in so many of the tables of a file runs. */
function rowsApart(path: string): number {
  return dear.find(([start]) => path.startsWith(start))?.[1] ?? 1;
}

function drawn(files: readonly string[], take: number, path: string): boolean {
  const order = seeded(files.join()).shuffle(Uint32Array.from(files.keys()));
  return order.subarray(0, take).includes(files.indexOf(path));
}

/** Random choices of this run for a place in the tests. */
function seeded(place: string): Random {
  let hash = shareSeed();
  for (let i = 0; i < place.length; i += 1)
    hash = Math.imul(hash ^ place.charCodeAt(i), 0x01000193);
  return new Random(hash);
}

function testsOf(task: RunnerTask): RunnerTestCase[] {
  return task.type === 'test' ? [task] : task.tasks.flatMap(testsOf);
}

/** Skips tests, and suites of which nothing is left, with what they prepare. */
function skip(task: RunnerTask, left: ReadonlySet<RunnerTestCase>, skipped: RunnerTestCase[]) {
  if (task.type === 'test') {
    if (!left.has(task) || task.mode !== 'run') return;
    task.mode = 'skip';
    skipped.push(task);
    return;
  }
  for (const each of task.tasks) skip(each, left, skipped);
  if (task.mode !== 'run' || task.tasks.length === 0) return;
  if (task.tasks.every(({ mode }) => mode === 'skip' || mode === 'todo')) task.mode = 'skip';
}
