import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../../cli/commands/run-command.js';
import { start } from '../../cli/commands/start-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { attackCount } from '../long-form.js';
import { printSeed, randomOf } from '../seed.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const random = randomOf(11);
printSeed('killed blocks');

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  const records = toyRecords(60_000, false);
  const lines = records.map((record, i) =>
    i % 5000 === 17 ? 'bad' : i % 7000 === 3 ? `\r\n${record}\r` : record,
  );
  writeFileSync(path('a.ndjson'), `${lines.slice(0, 30_000).join('\n')}\n`);
  writeFileSync(path('b.ndjson'), lines.slice(30_000).join('\n'));
  const rows = records
    .slice(0, 30_000)
    .map(record => `${(JSON.parse(record) as { tokens: string[] }).tokens.join('\n')}\n`);
  writeFileSync(path('a.txt'), rows.join('\n'));
});

/** The arguments of a run into a file, with its dead letters and checkpoints beside it. */
const given = (name: string, inputs: readonly string[], more: readonly string[]) => [
  ...[
    'tag',
    '--model',
    path('toy.model'),
    '--out',
    path(name),
    '--dead-letter',
    path(`${name}.bad`),
  ],
  ...['--checkpoint', path(`${name}.steps`), '--checkpoint-seconds', '0.01', '--resume'],
  ...more,
  ...inputs.map(path),
];

/** Kills a run a little after it has written some of its output. */
async function killed(args: readonly string[], name: string): Promise<void> {
  const run = start(args);
  const size = () => statSync(path(`${name}.part`), { throwIfNoEntry: false })?.size ?? 0;
  const before = size();
  // A run that goes record by record takes long to get beyond what was cut off.
  for (let wait = 0; wait < 400 && size() <= before && !existsSync(path(name)); wait += 1) {
    if (run.child.exitCode !== null) break;
    await new Promise(resolve => setTimeout(resolve, 2));
  }
  await new Promise(resolve => setTimeout(resolve, random.below(25)));
  run.child.kill('SIGKILL');
  await run.closed;
}

const ndjson = ['a.ndjson', 'b.ndjson'];
const conll = ['--format', 'conll:{columns: [form]}'];
const workers = ['--workers', '2'];

describe('a tagging run in blocks', () => {
  it.each<[string, string[], string[], string[]]>([
    ['in workers', ndjson, workers, workers],
    ['of tags, in one thread', ndjson, ['--output', 'tags'], ['--output', 'tags']],
    ['in workers, resumed in one thread', ndjson, workers, []],
    ['in one thread, resumed in workers', ndjson, [], workers],
    ['of columns, in workers', ['a.txt'], [...conll, ...workers], [...conll, ...workers]],
    ['of columns, in both', ['a.txt'], conll, [...conll, ...workers]],
  ])(
    '%s, killed and resumed, has the same output and the same rejected records',
    { tags: 'slow', timeout: 600_000 },
    async (_, inputs, first, next) => {
      const whole = await tagstream(given('whole', inputs, first));
      expect(whole.code, whole.stderr).toBe(0);
      const kills = attackCount(2, 6);
      for (let kill = 0; kill < kills; kill += 1) {
        await killed(given('cut', inputs, kill % 2 === 0 ? first : next), 'cut');
      }
      if (!existsSync(path('cut'))) {
        const last = await tagstream(given('cut', inputs, next));
        expect(last.code, last.stderr).toBe(0);
      }
      for (const name of ['', '.bad']) {
        const [wanted, found] = ['whole', 'cut'].map(run => path(`${run}${name}`));
        expect(existsSync(found!)).toBe(existsSync(wanted!));
        if (!existsSync(wanted!)) continue;
        const text = (file: string) => readFileSync(file, 'utf8').replace(/"time":"[^"]*"/g, '');
        expect(text(found!) === text(wanted!)).toBe(true);
      }
      for (const run of ['whole', 'cut']) {
        for (const name of ['', '.bad', '.part', '.steps']) {
          rmSync(path(`${run}${name}`), { recursive: true, force: true });
        }
      }
    },
  );
});
