import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../../cli/commands/run-command.js';
import { start } from '../../cli/commands/start-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { isNightly } from '../../house/long-forms.js';
import { attackCount, count, longForm, reportCounts } from '../long-form.js';
import { printSeed, randomOf } from '../seed.js';

const folder = workspace();
const isFull = longForm || isNightly;
const kills = isNightly ? 30 : attackCount(3, 30);
const random = randomOf(43);
printSeed('rotated outputs');

/** Log shippers write fields like these; `%` is the number of the line. */
const foreign =
  '"n":%,"host":"b\\u00fcro","took": 1.50,"ctx":{"a" : [1, 2]},"big":12345678901234567890';
const shapes = [
  `{"text":"the dog sees a cat",${foreign}}`,
  `{${foreign},"text":"a quick old house"}`,
  `{"text":"",${foreign}}`,
  // Names that results have too: taken with --into, rejected without.
  `{"text":"the cat runs","tags":["app","login"],"score":0.50,${foreign}}`,
  `{"text":"the house","gold":1,"spans":"none","tokens":7,${foreign}}`,
  `{"text":"cut off,${foreign}`,
  'no JSON at all, %',
  '',
];

/** Lines of a log, whose two files begin with a byte order mark each; every tenth is labelled, where `labelled`. */
function writeLog(name: string, size: number, labelled: boolean): string[] {
  const gold = toyRecords(100).map(record => record.slice(0, -1).replace(/"id":"\d+",/, ''));
  const lines = Array.from({ length: size }, (_, i) => {
    const isGold = labelled && i % 10 === 0;
    const shape = isGold ? `${gold[i % 100]},${foreign}}` : shapes[(i * 5 + (i >> 4)) % 8]!;
    return shape.replaceAll('%', String(i));
  });
  const half = size >> 1;
  for (const [at, part] of [lines.slice(0, half), lines.slice(half)].entries()) {
    writeFileSync(join(folder, `${name}.${at}.ndjson`), `\ufeff${part.join('\n')}\n`);
  }
  return lines;
}

const size = isFull ? 400_000 : 24_000;
const log = writeLog('log', size, false);
const slowSize = isFull ? 100_000 : 12_000;
const slowLog = writeLog('slow', slowSize, false);
const labelledLog = writeLog('labelled', slowSize, true);
const into = ['--into', 'nlp'];

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
});

/** Waits until no thread of a process runs any more: a signal takes effect some time after it was sent. */
async function stopped(pid: number): Promise<void> {
  const tasks = `/proc/${pid}/task`;
  const runs = () => {
    try {
      return readdirSync(tasks).some(
        task => !/\) [TZX] /.test(readFileSync(join(tasks, task, 'stat'), 'latin1')),
      );
    } catch {
      // It has ended, or there is no /proc.
      return false;
    }
  };
  while (runs()) await pause(1);
  await pause(10);
}

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/** What happens to a file while it grows, and its new name. */
const disturbances: Record<string, (file: string, to: string) => void> = {
  none: () => undefined,
  move: renameSync,
  'move, create': (file, to) => {
    renameSync(file, to);
    writeFileSync(file, '');
  },
  // The process is stopped meanwhile: what it wrote between copy and truncation would be lost in any program.
  copytruncate: (file, to) => {
    copyFileSync(file, to);
    truncateSync(file);
  },
};
const logrotate = Object.keys(disturbances);

const rotating = ['--rotate-bytes', '300000', '--rotate-seconds', '0.2'];

interface Way {
  readonly lines: readonly string[];
  /** The command, given its folder. */
  readonly args: (place: string) => string[];
}

function tagging(name: string, lines: readonly string[], ...more: string[]): Way {
  return {
    lines,
    args: place => [
      ...['tag', '--model', join(folder, 'toy.model'), '--out', join(place, 'out.ndjson')],
      ...['--checkpoint', `${place}.steps`, '--checkpoint-seconds', '0.01', '--resume'],
      ...['--dead-letter', join(place, 'bad.ndjson'), '--dead-letter-bytes', '1048576'],
      ...['--dead-letter-keep', '1000', '--max-error-rate', '1', ...into, ...more],
      ...['0', '1'].map(at => join(folder, `${name}.${at}.ndjson`)),
    ],
  };
}

function pipeline(name: string, lines: readonly string[], learns: boolean, more = ''): Way {
  return {
    lines,
    args: place => {
      const stages = learns
        ? `  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: { sentences: 8 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
  - checkpoint: { dir: ${place}.steps, sentences: 3000 }
  - tag: {}
train: { corpusSize: 1000 }
model: ${place}.model`
        : `  - featurize: { model: toy.model }
  - batch: { sentences: 64 }
  - tag: {}
  - checkpoint: { dir: ${place}.steps, sentences: 3000 }`;
      const file = join(folder, `${learns ? 'learn' : 'run'}.yaml`);
      writeFileSync(
        file,
        `version: 1
name: logs
source: { ndjson: { files: [${name}.0.ndjson, ${name}.1.ndjson] } }
stages:
  - tokenize: {}
${stages}
deadLetters: { file: ${place}/bad.ndjson, maxErrorRate: 1, maxBytes: 1048576, keep: 1000 }
sink: { file: ${place}/out.ndjson${more} }
`,
      );
      return ['run', file, '--resume'];
    },
  };
}

const series = ', rotate: { bytes: 300000 }';

const runs: readonly [string, string[], Way][] = [
  ['a file', logrotate, tagging('log', log)],
  ['a series of files', ['none'], tagging('log', log, ...rotating)],
  ['a series of files that others move', logrotate, tagging('log', log, ...rotating)],
  ['a file, in workers', logrotate, tagging('log', log, '--workers', '2')],
  ['a file, record by record', logrotate, tagging('slow', slowLog, '--metrics', '0')],
  ['a file of a pipeline that tags', logrotate, pipeline('log', log, false)],
  ['a file of a pipeline that learns', logrotate, pipeline('labelled', labelledLog, true)],
  [
    'a series of a pipeline that learns',
    logrotate,
    pipeline('labelled', labelledLog, true, series),
  ],
];

describe.each(runs)(
  '%s that is rotated while the run is killed',
  { tags: 'slow' },
  (what, kinds, { lines, args: argsOf }) => {
    it('has each line once, with its own fields as they were', {
      timeout: 3_600_000,
    }, async () => {
      const place = join(folder, what.replaceAll(/\W/g, '-'));
      mkdirSync(place);
      const args = argsOf(place);
      const counts = new Map<string, number>();
      const partOf = () => readdirSync(place).find(name => name.endsWith('.part'));
      const sizeNow = () => {
        const part = partOf();
        const stat = part && statSync(join(place, part), { throwIfNoEntry: false });
        return stat === undefined || stat === '' ? 0 : stat.size;
      };
      let moved = 0;
      const disturb = (name: string, toOf: (moved: number) => string) => {
        const kind = kinds[random.below(kinds.length)]!;
        if (kind === 'none' || !existsSync(join(place, name))) return;
        moved += 1;
        disturbances[kind]!(join(place, name), join(place, toOf(moved)));
        count(counts, kind);
      };
      for (let kill = 0; kill < kills; kill += 1) {
        const run = start(args);
        const before = sizeNow();
        while (run.child.exitCode === null && sizeNow() === before) await pause(1);
        for (let times = random.below(3); times >= 0; times -= 1) {
          await pause(random.below(20));
          if (run.child.exitCode !== null) break;
          run.child.kill('SIGSTOP');
          await stopped(run.child.pid!);
          const part = partOf();
          if (part !== undefined) disturb(part, n => `${part}.${n}`);
          if (kinds.length > 1 && random.below(3) === 0)
            disturb('bad.ndjson', n => `bad.ndjson-${n}`);
          run.child.kill('SIGCONT');
        }
        await pause(random.below(20));
        const signal = random.below(2) === 0 ? 'SIGKILL' : 'SIGTERM';
        const isOver = run.child.exitCode !== null;
        run.child.kill(signal);
        const { code, stderr } = await run.closed;
        if (code !== null) expect(code, stderr).toBe(0);
        count(counts, isOver ? 'ended before its kill' : signal);
      }
      const last = await tagstream(args);
      expect(last.code, last.stderr).toBe(0);
      reportCounts(what, counts);
      const found = new Map<number, number>();
      const add = (n: number) => found.set(n, (found.get(n) ?? 0) + 1);
      const linesOf = (isWanted: (name: string) => boolean) =>
        readdirSync(place)
          .filter(isWanted)
          .flatMap(name => readFileSync(join(place, name), 'utf8').split('\n').slice(0, -1));
      const half = lines.length >> 1;
      for (const line of linesOf(name => name.startsWith('bad.'))) {
        const letter = JSON.parse(line) as { source: string; line: number; raw: string };
        const n = letter.line - 1 + (letter.source.endsWith('.1.ndjson') ? half : 0);
        if (lines[n] !== letter.raw) expect([n, letter.raw]).toEqual([n, lines[n]]);
        add(n);
      }
      const rejected = found.size;
      for (const line of linesOf(name => name.startsWith('out.'))) {
        const n = Number(/"n":(\d+)/.exec(line)![1]);
        const own = lines[n]!;
        const kept = own.startsWith('{"tokens"')
          ? foreign.replace('%', String(n))
          : own.slice(0, -1);
        if (!line.includes(kept) || !('tags' in JSON.parse(line) || into.length > 0)) {
          expect([n, line]).toEqual([n, own]);
        }
        add(n);
      }
      const wrong = lines.flatMap((line, n) =>
        (found.get(n) ?? 0) === (line === '' ? 0 : 1) ? [] : [`${n}: ${found.get(n) ?? 0} ${line}`],
      );
      const names = readdirSync(place).sort();
      expect([names, wrong.slice(0, 5), wrong.length]).toEqual([names, [], 0]);
      expect(rejected).toBeGreaterThan(lines.length / 10);
      expect(found.size - rejected).toBeGreaterThan(lines.length / 10);
      const isWhole = (name: string) => /^out\.\d{6}\.ndjson$/.test(name);
      expect(names.some(isWhole)).toBe(what.startsWith('a series'));
    });
  },
);
