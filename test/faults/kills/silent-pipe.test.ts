// @module-tag slow
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { FileCheckpointStore } from '../../../src/runtime/io/checkpoints/file-checkpoint-store.js';
import { root, tagstream, tagstreamProcess } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);
const lines = toyRecords(1500);
const text = (some: readonly string[]) => some.map(line => `${line}\n`).join('');

beforeAll(() => trainHere(toyPipeline(folder, 60)));

/** Starts a command on a pipe, and leaves the pipe open and silent after some records. */
function startOn(given: readonly string[], some: readonly string[]): ChildProcess {
  const command = [join(root, 'dist/cli/main.js'), ...given];
  const child = spawn(process.execPath, command, {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin!.write(text(some));
  return child;
}

async function killOnce(child: ChildProcess, isReached: () => boolean): Promise<void> {
  while (!isReached()) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`);
    await pause(10);
  }
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Number of sentences in the newest checkpoint, or of bytes of its output; 0 before it. */
function newest(directory: string): number {
  try {
    const parts = new FileCheckpointStore(path(directory)).readNewest(() => undefined);
    const { tagging } = (parts?.run?.json ?? {}) as { tagging?: { outputBytes: number } };
    return Number(tagging?.outputBytes ?? parts?.learner?.json.sentencesSeen ?? 0);
  } catch {
    return 0;
  }
}

it('1,000 records learned from a pipe that fell silent outlive a kill', async () => {
  const learn = (name: string) => {
    writeFileSync(
      path(`${name}.yaml`),
      `version: 1
name: learn
source: { ndjson: { files: ["-"] } }
stages:
  - tokenize
  - featurize: { templates: ["U0:%x[0,0]", "U1:%x[-1,0]", "B"] }
  - batch: { sentences: 5 }
  - contribute
  - optimize: { adagrad: {} }
  - checkpoint: { dir: ${name}, seconds: 0.2, model: true }
train: { corpusSize: 1000 }
model: ${name}.model
`,
    );
    return ['run', `${name}.yaml`];
  };
  const whole = await tagstream(learn('whole'), { cwd: folder, stdin: text(lines) });
  expect(whole.code, whole.stderr).toBe(0);
  const child = startOn(learn('killed'), lines.slice(0, 1003));
  // Of the last three, no minibatch was made.
  // The model file follows the checkpoint.
  const isWritten = () => newest('killed') === 1000 && existsSync(path('killed.model'));
  await killOnce(child, isWritten);
  expect(readFileSync(path('killed.model')).length).toBeGreaterThan(0);
  const given = [...learn('killed'), '--resume'];
  const rest = await tagstreamProcess(given, { cwd: folder, stdin: text(lines.slice(1000)) });
  expect(rest.stderr).toContain('resumed after 1000 sentences');
  expect(rest.code, rest.stderr).toBe(0);
  expect(readFileSync(path('killed.model')).equals(readFileSync(path('whole.model')))).toBe(true);
});

it.each(['1', '2'])(
  'records tagged from a silent pipe are in a checkpoint, with %s workers',
  async workers => {
    rmSync(path('progress'), { recursive: true, force: true });
    const given = ['tag', '--model', 'toy.model', '--format', 'ndjson', '--workers', workers];
    const whole = await tagstream(given, { cwd: folder, stdin: text(lines) });
    const some = [...given, '--checkpoint', 'progress', '--checkpoint-seconds', '0.2'];
    const resumable = [...some, '--out', 'tagged.ndjson'];
    const child = startOn(resumable, lines.slice(0, 1000));
    const end = whole.stdout.split('\n').slice(0, 1000).join('\n').length + 1;
    await killOnce(child, () => newest('progress') === end);
    const stdin = text(lines.slice(1000));
    const rest = await tagstreamProcess([...resumable, '--resume'], { cwd: folder, stdin });
    expect(rest.code, rest.stderr).toBe(0);
    expect(readFileSync(path('tagged.ndjson'), 'utf8')).toBe(whole.stdout);
  },
);
