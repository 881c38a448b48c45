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
import { attackCount, count, reportCounts } from '../long-form.js';
import { printSeed, randomOf } from '../seed.js';

const folder = workspace();
const records = 30_000;
const random = randomOf(43);
printSeed('rotated outputs');

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  const lines = toyRecords(records, false);
  writeFileSync(join(folder, 'in.ndjson'), `${lines.join('\n')}\n`);
});

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/** What happens to a file while it grows, and its new name. */
const disturbances: Record<string, (part: string, to: string) => void> = {
  none: () => undefined,
  rename: renameSync,
  'rename, create': (part, to) => {
    renameSync(part, to);
    writeFileSync(part, '');
  },
  // The process is stopped meanwhile: what it wrote between copy and truncation would be lost in any program.
  copytruncate: (part, to) => {
    copyFileSync(part, to);
    truncateSync(part);
  },
};

const rotating = ['--rotate-bytes', '300000', '--rotate-seconds', '0.2'];

describe.each<[string, string[], string[]]>([
  ['a file', Object.keys(disturbances), []],
  ['a series of files', ['none'], rotating],
  ['a series of files that others move', Object.keys(disturbances), rotating],
  ['a file, in workers', Object.keys(disturbances), ['--workers', '2']],
])('%s that is rotated while the run is killed', (what, kinds, more) => {
  it('has each record once', { timeout: 600_000 }, async () => {
    const place = join(folder, what.replaceAll(/\W/g, '-'));
    mkdirSync(place);
    const args = [
      ...['tag', '--model', join(folder, 'toy.model'), '--out', join(place, 'out.ndjson')],
      ...['--checkpoint', join(folder, `${what}.steps`), '--checkpoint-seconds', '0.01'],
      ...['--resume', ...more, join(folder, 'in.ndjson')],
    ];
    const counts = new Map<string, number>();
    const partOf = () => readdirSync(place).find(name => name.endsWith('.part'));
    const size = () => {
      const part = partOf();
      const stat = part && statSync(join(place, part), { throwIfNoEntry: false });
      return stat === undefined || stat === '' ? 0 : stat.size;
    };
    const kills = attackCount(3, 30);
    for (let kill = 0; kill < kills; kill += 1) {
      const run = start(args);
      const before = size();
      while (run.child.exitCode === null && size() === before) await pause(2);
      await pause(20 + random.below(40));
      const kind = kinds[random.below(kinds.length)]!;
      const part = partOf();
      if (run.child.exitCode === null && part !== undefined) {
        run.child.kill('SIGSTOP');
        await pause(20);
        if (existsSync(join(place, part))) {
          disturbances[kind]!(join(place, part), join(place, `${part}.${kill}`));
          count(counts, kind);
        }
        run.child.kill('SIGCONT');
      }
      await pause(random.below(30));
      run.child.kill('SIGKILL');
      await run.closed;
    }
    const last = await tagstream(args);
    expect(last.code, last.stderr).toBe(0);
    reportCounts(what, counts);
    const names = readdirSync(place).filter(name => !name.startsWith('.'));
    const ids = new Map<string, number>();
    for (const name of names) {
      for (const line of readFileSync(join(place, name), 'utf8').split('\n').slice(0, -1)) {
        const { id, tags } = JSON.parse(line) as { id: string; tags: string[] };
        expect(tags.length).toBeGreaterThan(0);
        ids.set(id, (ids.get(id) ?? 0) + 1);
      }
    }
    const wrong = Array.from({ length: records }, (_, i) => i).filter(i => ids.get(`${i}`) !== 1);
    expect([names, wrong.slice(0, 5), wrong.length]).toEqual([names, [], 0]);
    const isWhole = (name: string) => /^out\.\d{6}\.ndjson$/.test(name);
    expect(names.some(isWhole)).toBe(more.includes('--rotate-bytes'));
  });
});
