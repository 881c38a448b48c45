import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { start } from '../../cli/commands/start-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';
import { longForm } from '../long-form.js';

const folder = workspace();
const script = join(import.meta.dirname, 'blocked-run.mjs');
const limit = 120_000;
let runs = 0;

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/** Bytes that a process has read so far. */
function bytesRead(pid: number): number {
  return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))![1]);
}

/** A run that is blocked for ever, and whose watchdog listens. */
async function blocked(way: string, { seconds = 3600, log = 'text' } = {}) {
  runs += 1;
  const temporary = join(folder, `temporary-${runs}`);
  if (way === 'system') execFileSync('mkfifo', [`${temporary}.fifo`]);
  const child = spawn(process.execPath, [script, way, String(seconds), log, temporary]);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += String(chunk);
  });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  await once(child.stdout, 'data');
  return {
    child,
    ended: async () => {
      const [code, signal] = await closed;
      return { code, signal, stderr, left: existsSync(temporary) };
    },
  };
}

const message = /^tagstream: aborted with work left 0\.1 s after the signal \(.*\)\n$/;
const ways = ['loop', 'pattern', 'wait', 'wasm', 'threads'];

describe('a blocked thread', () => {
  it.concurrent.each(longForm ? ways : ['wait', 'wasm'])(
    'is cut off in time after the first signal (%s)',
    { tags: 'slow', timeout: limit },
    async way => {
      const run = await blocked(way, { seconds: 0.1 });
      run.child.kill('SIGTERM');
      const { stderr, ...end } = await run.ended();
      expect(end).toEqual({ code: 1, signal: null, left: false });
      expect(stderr).toMatch(message);
    },
  );

  it.concurrent('says so in the log that was chosen', {
    tags: 'slow',
    timeout: limit,
  }, async () => {
    const run = await blocked('loop', { seconds: 0.1, log: 'json' });
    run.child.kill('SIGTERM');
    const { code, stderr } = await run.ended();
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'error', seconds: 0.1 });
  });

  it.concurrent.each(longForm ? ways : ['threads'])(
    'ends at the second signal (%s)',
    { tags: 'slow', timeout: limit },
    async way => {
      for (const [signal, code] of [
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const) {
        const run = await blocked(way);
        const again = setInterval(() => run.child.kill(signal), 50);
        expect(await run.ended()).toEqual({ code, signal: null, left: false, stderr: '' });
        clearInterval(again);
        if (!longForm) break;
      }
    },
  );

  it.concurrent('is killed in a call of the system that does not return', {
    tags: 'slow',
    timeout: limit,
  }, async () => {
    const run = await blocked('system');
    const again = setInterval(() => run.child.kill('SIGTERM'), 50);
    expect(await run.ended()).toMatchObject({ code: null, signal: 'SIGKILL' });
    clearInterval(again);
  });
});

describe('a record of a million tokens', () => {
  const input = join(folder, 'large.ndjson');
  let size = 0;

  beforeAll(async () => {
    const pipeline = toyPipeline(folder);
    const text = readFileSync(pipeline, 'utf8');
    writeFileSync(pipeline, text.replace('tokenize: {}', 'tokenize: { sentences: true }'));
    await trainHere(pipeline);
    const sentence = Array.from({ length: 80_000 }, (_, i) => `Word${i % 5000}`).join(' ');
    const line = `${JSON.stringify({ text: `${sentence}. `.repeat(12) })}\n`;
    size = line.length;
    writeFileSync(input, line);
  });

  it.each([
    ['one thread', []],
    ['workers', ['--workers', '2']],
  ] as const)(
    'ends at the second signal, with nothing written (%s)',
    { tags: 'slow', timeout: limit },
    async (_, more) => {
      const model = join(folder, 'toy.model');
      const run = start(['tag', '--model', model, '--marginals', ...more, input]);
      await run.mindsSignals();
      while (bytesRead(run.child.pid!) < size) await pause(5);
      const again = setInterval(() => run.child.kill('SIGTERM'), 100);
      const { code, stdout } = await run.closed;
      clearInterval(again);
      // On a busy machine it may not be interrupted for seconds, and is killed then.
      expect([143, null]).toContain(code);
      expect(stdout).toBe('');
    },
  );
});
