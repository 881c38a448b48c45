import { execFileSync } from 'node:child_process';
import { existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LiveCommand } from '../commands/live-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const hook = join(folder, 'no-timers.mjs');

/** Tagging by a pipeline, learning by one, and one with checkpoints. */
const pipelines: Readonly<Record<string, string>> = {
  tags: `stages: [tokenize, { featurize: { model: toy.model } }, { batch: { sentences: 64 } }, tag]`,
  learns: `stages:
  - tokenize: {}
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: {} }
  - evaluate: { progressive: true }
  - tag: {}
train: { corpusSize: 100 }
model: learned.model`,
};

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  // No timer of the process, or of a thread of it, ever ends a wait.
  writeFileSync(
    hook,
    `const start = globalThis.setTimeout;
for (const name of ['setTimeout', 'setInterval']) {
  globalThis[name] = (work, _, ...more) => start(work, 2 ** 31 - 1, ...more);
}
`,
  );
  for (const [name, rest] of Object.entries(pipelines)) {
    const head = `version: 1\nname: ${name}\nsource: { ndjson: { files: ["-"] } }\n`;
    writeFileSync(join(folder, `${name}.yaml`), `${head}${rest}\n`);
  }
});

const open: LiveCommand[] = [];
afterEach(async () => {
  for (const command of open.splice(0)) {
    command.child.kill('SIGKILL');
    await command.ended();
  }
});

/** A command none of whose timers ends: what waits for one waits for ever. */
function withoutTimers(given: readonly string[]): LiveCommand {
  const env = { NODE_OPTIONS: `--import=${hook}` };
  const command = new LiveCommand(given, { cwd: folder, env });
  open.push(command);
  return command;
}

/** Sends each record only when the answer to the one before has come. */
async function converse(
  records: readonly string[],
  send: (record: string) => void,
  answers: () => number,
  { command }: { command: LiveCommand },
): Promise<void> {
  for (const [i, record] of records.entries()) {
    send(record);
    await command.until(() => answers() > i);
    expect(answers()).toBe(i + 1);
  }
}

const ndjson = toyRecords(12, false).map(line => `${line}\n`);
const texts = ndjson.map(line => {
  const { id, tokens } = JSON.parse(line) as { id: string; tokens: string[] };
  return `${JSON.stringify({ id, text: tokens.join(' ') })}\n`;
});
const rows = ndjson.map(line => {
  const { tokens } = JSON.parse(line) as { tokens: string[] };
  return `${tokens.join('\n')}\n\n`;
});
const labelled = toyRecords(12).map(line => `${line}\n`);
const lines = (text: string) => text.split('\n').length - 1;
const blocks = (text: string) => text.split('\n\n').length - 1;
const tag = ['tag', '--model', 'toy.model'];
const conll = ['--format', 'conll:{columns: [form], tagOptional: true}'];

describe('a record that is sent alone is answered at once by', () => {
  it.each<[readonly string[], readonly string[], (text: string) => number]>([
    [tag, ndjson, lines],
    [tag, texts, lines],
    [[...tag, '--workers', '2'], texts, lines],
    [[...tag, '--workers', '3'], ndjson, lines],
    [[...tag, '--metrics', '0'], ndjson, lines],
    [[...tag, '--metrics', '0', '--workers', '2'], ndjson, lines],
    [[...tag, '--limit', '1000'], texts, lines],
    [[...tag, '--output', 'tags'], texts, lines],
    [[...tag, '--nbest', '3', '--marginals', '--probability', '--scores'], texts, lines],
    [[...tag, '--ids', 'content'], texts, lines],
    [[...tag, ...conll], rows, blocks],
    [[...tag, ...conll, '--workers', '2'], rows, blocks],
    [[...tag, '--format', 'text'], rows.map(row => `${row.trim().replaceAll('\n', ' ')}\n`), lines],
    [['run', 'tags.yaml'], texts, lines],
    [['run', 'tags.yaml', '--metrics', '0'], texts, lines],
    [['run', 'tags.yaml', '--limit', '1000'], texts, lines],
    [['run', 'learns.yaml'], labelled, lines],
  ])('tagstream %j', { tags: 'slow' }, async (given, records, count) => {
    const command = withoutTimers(given);
    await converse(
      records,
      record => void command.child.stdin.write(record),
      () => count(command.stdout),
      { command },
    );
  });

  it.each([[[]], [['--workers', '2']]])(
    'tag --checkpoint, in its file: %j',
    { tags: 'slow' },
    async more => {
      const out = join(folder, `progress${more.length}.ndjson`);
      const given = [...tag, ...more, '--out', out, '--checkpoint', `progress${more.length}`];
      const command = withoutTimers(given);
      const written = () =>
        existsSync(`${out}.part`) ? lines(readFileSync(`${out}.part`, 'utf8')) : 0;
      await converse(texts, record => void command.child.stdin.write(record), written, { command });
    },
  );

  it('tag from a named pipe', async () => {
    const fifo = join(folder, 'in.fifo');
    execFileSync('mkfifo', [fifo]);
    const command = withoutTimers([...tag, fifo]);
    // Read and write: opening it waits for no reader.
    const pipe = openSync(fifo, 'r+');
    const send = (record: string) => void writeSync(pipe, record);
    await converse(texts, send, () => lines(command.stdout), { command });
  });
});

it('records that come while others are tagged lose nothing, in their order', {
  tags: 'slow',
}, async () => {
  for (const more of [[], ['--workers', '2'], ['--metrics', '0']]) {
    const command = withoutTimers([...tag, ...more]);
    const all = Array.from({ length: 300 }, (_, i) => texts[i % texts.length]!);
    for (const [i, record] of all.entries()) {
      command.child.stdin.write(record);
      // A writer that pauses now and then, and lets pieces of records out.
      if (i % 7 === 0) command.child.stdin.write(' ');
      if (i % 5 === 0) await new Promise(done => setImmediate(done));
    }
    await command.until(() => lines(command.stdout) === all.length);
    const ids = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map(line => (JSON.parse(line) as { id: string }).id);
    expect(ids(command.stdout)).toEqual(ids(all.join('')));
  }
});
