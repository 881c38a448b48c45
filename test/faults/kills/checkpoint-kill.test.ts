import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileCheckpointStore } from '../../../src/runtime/io/checkpoints/file-checkpoint-store.js';

const store = pathToFileURL(
  resolve(import.meta.dirname, '../../../dist/runtime/io/checkpoints/file-checkpoint-store.js'),
);

/** Writes generations without end; each holds its step in every place, and is reported once it is written. */
const writer = `
  import { FileCheckpointStore } from ${JSON.stringify(store.href)};
  const store = new FileCheckpointStore(process.argv[1], { keep: 2 });
  for (let step = Number(process.argv[2]); ; step += 1) {
    const weights = new Float64Array(20000).fill(step);
    store.write({ part: { json: { step }, arrays: { weights } } });
    process.stdout.write(step + '\\n');
  }
`;

/** Writes a first generation, and dies before the given call of the file system in the second. */
const dying = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const deadly = Number(process.argv[2]);
  let calls = -1;
  for (const name of ['mkdirSync', 'openSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync', 'rmSync', 'readdirSync', 'statfsSync']) {
    const original = fs[name];
    fs[name] = (...given) => {
      if (calls >= 0 && (calls += 1) === deadly) process.kill(process.pid, 'SIGKILL');
      return original(...given);
    };
  }
  syncBuiltinESMExports();
  const { FileCheckpointStore } = await import(${JSON.stringify(store.href)});
  const store = new FileCheckpointStore(process.argv[1], { keep: 1 });
  const write = step => store.write({ part: { json: { step }, arrays: { weights: new Float64Array(2000).fill(step) } } });
  write(1);
  calls = 0;
  write(2);
  process.stdout.write(String(calls));
`;

import { longForm } from '../long-form.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Runs the writer and kills it `delay` milliseconds after its third checkpoint; the last step it reported. */
function writeUntilKilled(firstStep: number, delay: number): Promise<number> {
  const args = ['--input-type=module', '-e', writer, directory, String(firstStep)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise(done => {
    let reported = '';
    child.stdout.on('data', data => {
      reported += data;
      if (reported.split('\n').length > 3) setTimeout(() => child.kill('SIGKILL'), delay);
    });
    child.on('close', () => done(Number(reported.trimEnd().split('\n').at(-1))));
  });
}

describe('a checkpoint store whose process is killed', () => {
  it('has a whole newest generation, none older than the last one reported', async () => {
    let step = 1;
    for (let round = 0; round < (longForm ? 12 : 3); round += 1) {
      const reported = await writeUntilKilled(step, round);
      const damaged: string[] = [];
      const parts = new FileCheckpointStore(directory).readNewest(name => damaged.push(name));
      const { json, arrays } = parts!.part!;
      expect(damaged).toEqual([]);
      expect(reported).toBeGreaterThanOrEqual(step + 2);
      expect(json.step).toBeGreaterThanOrEqual(reported);
      expect(arrays.weights).toStrictEqual(new Float64Array(20_000).fill(json.step as number));
      step = (json.step as number) + 1;
    }
    new FileCheckpointStore(directory, { keep: 2 }).write({});
    expect(readdirSync(directory).every(name => /^gen-\d{8}$/.test(name))).toBe(true);
    expect(readdirSync(directory).length).toBe(2);
  });

  it('has a whole generation, the old or the new one, before whichever call it dies', {
    tags: 'slow',
  }, () => {
    const run = (deadly: number) => {
      rmSync(directory, { recursive: true });
      return spawnSync(process.execPath, [
        ...['--input-type=module', '-e', dying, directory],
        String(deadly),
      ]);
    };
    const calls = Number(run(0).stdout);
    expect(calls).toBeGreaterThan(10);
    const newest: number[] = [];
    for (let deadly = 1; deadly <= calls; deadly += 1) {
      expect(run(deadly).signal).toBe('SIGKILL');
      const damaged: string[] = [];
      const parts = new FileCheckpointStore(directory).readNewest(name => damaged.push(name));
      expect(damaged).toEqual([]);
      const { json, arrays } = parts!.part!;
      expect(arrays.weights).toStrictEqual(new Float64Array(2000).fill(json.step as number));
      newest.push(json.step as number);
      new FileCheckpointStore(directory, { keep: 1 }).write({});
      expect(readdirSync(directory).length).toBe(1);
    }
    // Up to the rename the old one, from then on the new one.
    expect(newest).toEqual(newest.toSorted());
    expect(new Set(newest)).toEqual(new Set([1, 2]));
    console.log(`checkpoint protocol: killed before each of ${calls} calls, always whole`);
  });
});
