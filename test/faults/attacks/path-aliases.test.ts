import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstreamProcess } from '../../cli/commands/run-command.js';
import { workspace } from '../../cli/commands/workspace.js';
import { attackCount, count, longForm, reportCounts } from '../long-form.js';
import { faultsSeed, printSeed, randomOf } from '../seed.js';
import { pick } from './attacked.js';
import { textOptions } from './command-options.js';
import { digestsOf, learnSamples, lineFor, makeSamples, writeSample } from './path-lines.js';
import { otherOptions, type PathCommand, pathCommands, type Slot } from './path-slots.js';

printSeed('path aliases');
const random = randomOf(41);
const folder = workspace();

/** Other ways to a path, which the folder is prepared for. */
const aliases: Readonly<Record<string, (path: string, folder: string) => string | undefined>> = {
  same: path => path,
  dotted: path => `./further/../${path}`,
  absolute: (path, folder) => join(folder, path),
  process: path => `/proc/self/cwd/${path}`,
  'link to it': (path, folder) => {
    symlinkSync(join(folder, path), join(folder, 'link'));
    return 'link';
  },
  'link to its folder': (path, folder) => {
    symlinkSync(folder, join(folder, 'here'));
    return `here/${path}`;
  },
  'hard link': (path, folder) => {
    // What a folder's owner removes keeps its other name.
    if (path.includes('/')) return undefined;
    try {
      linkSync(join(folder, path), join(folder, 'second'));
    } catch {
      return undefined;
    }
    return 'second';
  },
};

/** Two places with one path. */
interface Pair {
  readonly command: PathCommand;
  readonly slots: readonly [Slot, Slot];
  /** Whether both are only read: there is nothing to refuse then. */
  readonly isRead: boolean;
}

const writes = (slot: Slot) => slot.reads === undefined;

/** The command line overrides the pipeline file: then only one of both is used. */
const isOverride = (...names: readonly string[]) =>
  overrides.some(both => both.every(name => names.includes(name)));
const overrides = [
  ['--model', 'FILE:model'],
  ['--dead-letter', 'FILE:deadLetters'],
];

/** A pipeline or study file, whose relative paths would be others in another folder. */
const isFileOfPaths = ({ reads }: Slot) => reads === 'pipeline' || reads === 'study';
const isInFolder = (...slots: readonly Slot[]) => slots.some(({ suffix }) => suffix?.[0] === '/');

const pairs: readonly Pair[] = pathCommands.flatMap(command =>
  command.slots.flatMap((first, i) =>
    command.slots
      .slice(i + 1)
      .filter(second => first.name !== second.name && !isOverride(first.name, second.name))
      .filter(second => first.suffix === undefined || second.suffix === undefined)
      .filter(second => ![first, second].some(isFileOfPaths) || !isInFolder(first, second))
      .map(second => ({
        command,
        slots: [first, second] as const,
        isRead: !writes(first) && !writes(second),
      })),
  ),
);

/** Pairs that make sense: a model is trained further and takes the place of the one that it started from. */
const isUpdate = ({ slots: [first, second] }: Pair) =>
  [first, second].some(slot => slot.name === 'FILE:start') &&
  [first, second].some(slot => /model$/.test(slot.name));

const describeSlot = ({ name, suffix = '' }: Slot) => `${name}${suffix}`;

/** A line that names one file twice, in a folder made anew; undefined where there is no such alias. */
function prepare({ command, slots: [first, second] }: Pair, alias: string, isThere: boolean) {
  const own = join(folder, 'case');
  rmSync(own, { recursive: true, force: true });
  mkdirSync(join(own, 'further'), { recursive: true });
  makeSamples(own, command);
  // What is added to a path comes last in it.
  const suffix = first.suffix ?? second.suffix ?? '';
  const path = `shared${suffix}`;
  const sample = first.reads ?? second.reads;
  if (suffix.startsWith('/') && (isThere || sample !== undefined))
    mkdirSync(dirname(join(own, path)));
  if (sample !== undefined) writeSample(join(own, path), sample);
  else if (isThere) writeFileSync(join(own, path), 'what was there before\n');
  const [plain, other] = second.suffix === undefined ? [first, second] : [second, first];
  const otherPath = aliases[alias]!(path, own);
  if (otherPath === undefined) return undefined;
  const paths = new Map([
    [plain, path.slice(0, path.length - (plain.suffix ?? '').length)],
    [other, otherPath],
  ]);
  return { own, given: lineFor(own, command, paths) };
}

/** What is wrong with how a command takes one file twice; undefined where there is no such alias. */
async function problemsOf(pair: Pair, alias: string, isThere: boolean) {
  const prepared = prepare(pair, alias, isThere);
  if (prepared === undefined) return undefined;
  const { own, given } = prepared;
  const before = digestsOf(own);
  const { code, stderr } = await tagstreamProcess(given, { cwd: own });
  const after = digestsOf(own);
  const problems: string[] = [];
  const isRefusal = !pair.isRead && !(isUpdate(pair) && code === 0);
  if (isRefusal && code !== 2 && code !== 78) problems.push(`exit code ${code}`);
  for (const [name, digest] of before) {
    const isModel = isUpdate(pair) && /^(shared|second|link)/.test(name);
    if (!isModel && after.get(name) !== digest) problems.push(`${name} was changed`);
  }
  const made = [...after.keys()].filter(name => !before.has(name));
  if (isRefusal && made.length > 0) problems.push(`${made.join(', ')} was written`);
  const [first, second] = pair.slots;
  const what = `${pair.command.command}, ${describeSlot(first)} and ${describeSlot(second)}, ${alias}`;
  const seen = `(tagstream ${given.join(' ')}) ${stderr.split('\n', 1)[0]}`;
  return problems.map(problem => `${what}: ${problem} ${seen}`);
}

beforeAll(() => learnSamples(folder));

describe('the paths that a command takes', () => {
  it('are all known: each option that takes text is a path, or is no path', async () => {
    const known = new Set(
      pathCommands.flatMap(({ command, slots }) => slots.map(({ name }) => `${command} ${name}`)),
    );
    const isOther = (option: string) =>
      otherOptions.has(option) || otherOptions.has(option.split(' ').at(-1)!);
    const options = await textOptions();
    expect(options.length).toBeGreaterThan(70);
    expect(options.filter(option => !known.has(option) && !isOther(option))).toEqual([]);
  });

  it.runIf(longForm)(
    'work, each by itself',
    async () => {
      const failed: string[] = [];
      for (const command of pathCommands) {
        for (const slot of command.slots.filter(({ suffix }) => suffix === undefined)) {
          const own = join(folder, 'case');
          rmSync(own, { recursive: true, force: true });
          mkdirSync(join(own, 'further'), { recursive: true });
          makeSamples(own, command);
          if (slot.reads !== undefined) writeSample(join(own, 'shared'), slot.reads);
          const given = lineFor(own, command, new Map([[slot, 'shared']]));
          const end = await tagstreamProcess(given, { cwd: own });
          if (end.code !== 0) failed.push(`tagstream ${given.join(' ')}\n${end.stderr}`);
        }
      }
      expect(failed).toEqual([]);
    },
    3_600_000,
  );

  it('are refused in pairs where one file would be written and used otherwise', {
    tags: 'slow',
  }, async () => {
    const counts = new Map<string, number>();
    const problems: string[] = [];
    const names = Object.keys(aliases);
    const attempt = async (pair: Pair, alias: string, isThere: boolean) => {
      const found = await problemsOf(pair, alias, isThere);
      if (found === undefined) return false;
      count(counts, pair.command.command);
      problems.push(...found);
      return true;
    };
    const sampled = attackCount(8, Number.POSITIVE_INFINITY);
    if (sampled === Number.POSITIVE_INFINITY) {
      for (const pair of pairs) {
        for (const alias of pair.isRead ? ['same'] : names) {
          for (const isThere of pair.slots.every(writes) ? [true, false] : [true]) {
            await attempt(pair, alias, isThere);
          }
        }
      }
    } else {
      const refused = pairs.filter(pair => !pair.isRead);
      for (let n = 0; n < sampled; ) {
        const done = await attempt(
          pick(random, refused),
          pick(random, names),
          random.below(2) === 0,
        );
        if (done) n += 1;
      }
    }
    reportCounts(`path aliases, seed ${faultsSeed}, ${pairs.length} pairs`, counts);
    expect(problems, `TAGSTREAM_FAULTS_SEED=${faultsSeed}`).toEqual([]);
  });
});
