import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { LiveCommand } from '../../cli/commands/live-command.js';
import { tagstreamProcess } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const records = toyRecords(60);
const fifo = join(folder, 'in.fifo');
execFileSync('mkfifo', [fifo]);

/** A record as rows of tokens. */
const rowsOf = (line: string) =>
  `${(JSON.parse(line) as { tokens: string[] }).tokens.join('\n')}\n\n`;

/** Runs a command while the records are written to the pipe. */
async function fed(given: readonly string[], lines: readonly string[]) {
  const [outcome] = await Promise.all([
    tagstreamProcess(given, { cwd: folder }),
    writeFile(fifo, `${lines.join('\n')}\n`),
  ]);
  return outcome;
}

const idsOf = (file: string) =>
  readFileSync(join(folder, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => (JSON.parse(line) as { id: string }).id);

const allIds = records.map((_, id) => String(id));

beforeAll(() => trainHere(toyPipeline(folder, 60)));

it('a tagging run with checkpoints ends with the writer of its pipe, and continues with the next', async () => {
  const given = ['tag', '--model', 'toy.model', '--out', 'out', '--checkpoint', 'progress'];
  const first = await fed([...given, fifo], records.slice(0, 40));
  expect(first).toMatchObject({ code: 0, stderr: '40 records written to out\n' });
  expect(idsOf('out')).toEqual(allIds.slice(0, 40));
  const second = await fed([...given, '--resume', fifo], records.slice(40));
  expect(second.code).toBe(0);
  expect(second.stderr).toContain('resumed after');
  expect(idsOf('out')).toEqual(allIds);
});

it('a tagging run that is killed keeps what it has written of a pipe', {
  tags: 'slow',
}, async () => {
  for (const [format, from] of [
    ['ndjson', (line: string) => `${line}\n`],
    ['conll:{columns: [form], tagOptional: true}', rowsOf],
  ] as const) {
    const out = `killed-${format.slice(0, 5)}`;
    const given = ['tag', '--model', 'toy.model', '--format', format, '--out', out];
    const live = new LiveCommand([...given, '--checkpoint', `${out}-progress`], { cwd: folder });
    live.child.stdin.write(records.slice(0, 40).map(from).join(''));
    const part = join(folder, `${out}.part`);
    const ended = (text: string) => text.split(format === 'ndjson' ? '\n' : '\n\n').length - 1;
    await live.until(() => existsSync(part) && ended(readFileSync(part, 'utf8')) === 40);
    live.child.kill('SIGKILL');
    await live.ended();
    // Of a record that it could not finish.
    appendFileSync(part, format === 'ndjson' ? '{"id": "40", "tok' : 'the\tDET\ndog');
    const rest = { cwd: folder, stdin: records.slice(40).map(from).join('') };
    const more = await tagstreamProcess(
      [...given, '--checkpoint', `${out}-progress`, '--resume'],
      rest,
    );
    expect(more.code, more.stderr).toBe(0);
    expect(more.stderr).toMatch(/resumed .*\n.* bytes of results after the checkpoint are kept/);
    const whole = await tagstreamProcess(given.with(-1, '-'), {
      ...rest,
      stdin: records.map(from).join(''),
    });
    expect(readFileSync(join(folder, out), 'utf8')).toBe(whole.stdout);
  }
});

it('a learning run with checkpoints does so too', { tags: 'slow' }, async () => {
  const pipeline = join(folder, 'online.yaml');
  writeFileSync(
    pipeline,
    `version: 1
name: online
source: { ndjson: { files: [in.fifo] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
  - checkpoint: { dir: checkpoints, sentences: 15 }
  - tag
sink: { file: learned }
train: { seed: 7, corpusSize: 60 }
model: online.model
`,
  );
  const first = await fed(['run', pipeline], records.slice(0, 40));
  expect(first.code, first.stderr).toBe(0);
  const second = await fed(['run', '--resume', pipeline], records.slice(40));
  expect(second.code, second.stderr).toBe(0);
  expect(second.stderr).toContain('trained on 60 sentences');
  expect(idsOf('learned')).toEqual(allIds);
});
