import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const program = join(root, 'dist/cli/main.js');

/** Words of the project's past, and the usual ones that take their place; see `src/README.md`. */
const banned: readonly (readonly [RegExp, string])[] = [
  [/\b(?!screw)\w*[cC]rew\w*/, 'worker group'],
  [/[fF]oreman/, 'supervisor'],
  [/\b[tT]old\b|[a-z]Told\b|\b[tT]old[A-Z]/, 'reported, logged, given'],
  [/\b[tT]ell(s|ing|er)?\b|\btell[A-Z]/, 'report, log, say, distinguish'],
  [/\b([rR]e)?([bB]irths?|[bB]orn)\b|Births?\b|\b[rR]eborn/, 'creation time, created'],
  [/\b([rR]ead|[wW]rite|fitting|first|unkept)Letters?\b|\bLettered/, 'rejected record'],
  [
    /(?<![dD]ead )\b[lL]etters? (were|was|is|are) (kept|written|dropped|rejected)/,
    'rejected record',
  ],
  [/\b[uU]nder way\b/, 'in flight, running'],
  [/\b(come|comes|came|coming) to nothing\b/, 'is discarded'],
  [/\b(go|goes|going|gone|went) on\b/, 'continue, resume from'],
  [/\bnothing is said\b/, 'default: ...'],
  [/\b(let|lets|letting) go of\b/, 'release, drop'],
  [/\bbytes of one thread\b/, 'the same output as with one thread'],
  [/\bfewest wrong tags\b/, 'minimum Bayes risk decoding'],
  [/\bline that is no record\b/, 'malformed line'],
];

/** Keys of checkpoints that earlier versions wrote: they stay, so that those files can be resumed from. */
const savedKeys = /(?<=[`'])(births|reborn)\./g;

interface Hit {
  readonly place: string;
  readonly word: string;
  readonly say: string;
}

/** Banned words of a text; a phrase may stand on two lines, with the marks of a comment between them. */
function hitsIn(name: string, text: string): Hit[] {
  const hits: Hit[] = [];
  const lines = text.replaceAll(savedKeys, '').split('\n');
  const begins = (line: string) => line.replace(/^\s*(\*|\/\/|#|>)?\s*/, '');
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    const whole = next === undefined ? line : `${line.trimEnd()} ${begins(next)}`;
    for (const [pattern, say] of banned) {
      const found = pattern.exec(whole);
      // What begins on the next line is found there.
      if (found === null || found.index >= line.length) continue;
      hits.push({ place: `${name}:${index + 1}`, word: found[0], say });
    }
  }
  return hits;
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (/\.(ts|md|mjs|yaml|json)$/.test(entry.name)) yield path;
  }
}

const shown = (hits: readonly Hit[]) =>
  hits.map(({ place, word, say }) => `${place}: "${word}" (say: ${say})`);

const helpOf = (...words: string[]) =>
  execFileSync(process.execPath, [program, ...words, '--help'], { encoding: 'utf8' });

describe('the words of the project', () => {
  it('finds each banned word, and none in the words that it is a part of', () => {
    const wrong = [
      'a TrainingCrew',
      'the crew',
      'crewOf(4)',
      'a foreman',
      'was told',
      'toldDeadLetters',
      'it tells',
      'tellStopped()',
      'ParameterBirths',
      'born late',
      'the reborn rows',
      'readLetter(text)',
      'letters were dropped',
      'under way',
      'comes to nothing',
      'gone on from',
      'it goes on',
      'if nothing is said',
      'lets go of it',
      'the bytes of one thread',
      'a line that is no record',
    ];
    expect(wrong.filter(text => hitsIn('a', text).length === 0)).toEqual([]);
    const right =
      'screws, screwdriver, a storyteller, birthday, stubborn, dead letters, `births.x`';
    expect(hitsIn('a', right)).toEqual([]);
  });

  it('finds a phrase over two lines of a comment', () => {
    expect(hitsIn('a.ts', '/**\n * The run goes\n * on.\n */').map(({ place }) => place)).toEqual([
      'a.ts:2',
    ]);
  });

  it.each(['src', 'pipelines', 'config'])('are the usual ones in %s', folder => {
    const files = [...filesBelow(join(root, folder))];
    expect(files.length).toBeGreaterThan(1);
    const hits = files.flatMap(file => hitsIn(relative(root, file), readFileSync(file, 'utf8')));
    expect(shown(hits)).toEqual([]);
  });

  it('are the usual ones in the README, which is short', () => {
    const text = readFileSync(join(root, 'README.md'), 'utf8');
    expect(shown(hitsIn('README.md', text))).toEqual([]);
    expect(text.split(/\s+/).filter(word => word !== '').length).toBeLessThanOrEqual(2500);
  });

  it('are the usual ones in the help of each command', () => {
    const start = helpOf();
    const commands = [...start.matchAll(/^ {2}tagstream (\w+)/gm)].map(match => match[1]!);
    expect(commands.length).toBeGreaterThan(10);
    const hits = commands.flatMap(command => {
      const help = helpOf(command);
      expect(help).toContain(`tagstream ${command}`);
      return hitsIn(`tagstream ${command} --help`, help);
    });
    expect(shown([...hitsIn('tagstream --help', start), ...hits])).toEqual([]);
  }, 60_000);
});
