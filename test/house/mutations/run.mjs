// Plants faults one by one in a copy of the sources, and runs the tests that should catch them:
//
//     node test/house/mutations/run.mjs [--only NAME,...] [--area AREA] [--tests "PATH ..."] [--all] [-- OPTIONS OF VITEST]
//
// Without --all it runs what `npm test` selects, with it every test of the files named. A survivor needs a test that compares
// with a definition.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { mutations } from './mutations.mjs';

const root = resolve(import.meta.dirname, '../../..');
const separator = process.argv.indexOf('--');
const own = process.argv.slice(2, separator < 0 ? undefined : separator);
const passedOn = separator < 0 ? [] : process.argv.slice(separator + 1);
const { values } = parseArgs({
  args: own,
  options: {
    only: { type: 'string' },
    area: { type: 'string' },
    tests: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const names = values.only?.split(',');
const chosen = mutations.filter(
  ({ name, area }) =>
    (names === undefined || names.includes(name)) &&
    (values.area === undefined || values.area === area),
);
const unknown = names?.filter(name => mutations.every(mutation => mutation.name !== name)) ?? [];
if (unknown.length > 0) throw new Error(`there is no mutation ${unknown.join(', ')}`);
if (chosen.length === 0) throw new Error('no mutation is chosen');

const paths = ['src', 'test'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(path =>
    [folder, ...path.split(sep)].join('/'),
  ),
);

/** Returns the paths below a folder that end so. */
function pathsEnding(folder, end) {
  return paths.filter(path => path.startsWith(`${folder}/`) && path.endsWith(`/${end}`));
}

function onlyOne(found, what) {
  if (found.length === 1) return found[0];
  throw new Error(`${found.length} instead of one: ${what}`);
}

/** Returns the file of a fault, before and after. The text of the fault occurs once in all files that end so. */
function planned({ name, file, find, replace }) {
  const places = pathsEnding('src', file).flatMap(path => {
    const parts = readFileSync(join(root, path), 'utf8').split(find);
    return parts
      .slice(1)
      .map(() => ({ path, before: parts.join(find), after: parts.join(replace) }));
  });
  return onlyOne(places, `places of ${name} in ${file}`);
}

// Everything is found before anything runs.
const faults = chosen.map(mutation => ({
  ...mutation,
  ...planned(mutation),
  tested:
    values.tests === undefined
      ? mutation.tests.map(end => onlyOne(pathsEnding('test', end), `tests ${end}`))
      : values.tests.split(/\s+/).filter(Boolean),
}));

const copy = mkdtempSync(join(tmpdir(), 'tagstream-mutations-'));
// node_modules is only read. Builds write into src and dist, so links to the files would change them here.
const linked = ['node_modules', '.git'];
const skipped = ['dist', 'models', ...linked];
cpSync(root, copy, {
  recursive: true,
  filter: source => !skipped.includes(relative(root, source)),
});
for (const name of linked) {
  if (statSync(join(root, name), { throwIfNoEntry: false }) === undefined) continue;
  symlinkSync(join(root, name), join(copy, name));
}

/** Runs the tests of a fault; returns the first that failed, or undefined. */
function failure(tested, name) {
  const report = join(copy, 'mutation-report.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=json', `--outputFile=${report}`];
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  // Files that are named run whole, unless a filter is given.
  const selected = values.all ? [] : ['--tagsFilter', '!slow'];
  const run = spawnSync(
    process.execPath,
    [vitest, 'run', ...tested, '--bail', '1', ...selected, ...reporters, ...passedOn],
    { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 28 },
  );
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    // What stops vitest itself, such as want of memory, says nothing of the fault.
    throw new Error(`${name}: vitest has written no report\n${run.stdout}${run.stderr}`);
  }
  for (const { name: file, assertionResults, message, status } of results.testResults) {
    const failed = assertionResults.find(each => each.status === 'failed');
    const path = relative(copy, file);
    if (failed !== undefined) return `${path}: ${failed.fullName}`;
    if (status === 'failed') return `${path}: ${lastLine(message)}`;
  }
  if (run.status !== 0) return `(no test) ${lastLine(run.stderr || run.stdout)}`;
  if (results.numPassedTests === 0) throw new Error(`${name}: no test ran of ${tested.join(' ')}`);
  return undefined;
}

function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}

const rows = [];
try {
  for (const { name, area, path, before, after, tested, equivalent } of faults) {
    const file = join(copy, path);
    writeFileSync(file, after);
    const began = Date.now();
    const by = failure(tested, name);
    writeFileSync(file, before);
    const result =
      by !== undefined ? 'caught' : equivalent === undefined ? 'survived' : 'equivalent';
    rows.push({ area, name, result, by: by ?? equivalent ?? '' });
    const seconds = ((Date.now() - began) / 1000).toFixed(0);
    process.stderr.write(`${result.padEnd(10)} ${name} (${seconds} s) ${by ?? ''}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

const cells = rows.map(({ area, name, result, by }) => [area, name, result, by]);
for (const row of [['area', 'fault', 'result', 'by'], ['---', '---', '---', '---'], ...cells]) {
  process.stdout.write(
    `| ${row.map(cell => cell.replaceAll('|', '\\|').slice(0, 160)).join(' | ')} |\n`,
  );
}
const survivors = rows.filter(({ result }) => result === 'survived');
process.exitCode = survivors.length > 0 ? 1 : 0;
