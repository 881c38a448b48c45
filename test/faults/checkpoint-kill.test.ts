import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileCheckpointStore } from '../../src/io/file-checkpoint-store.js';

const store = pathToFileURL(resolve(import.meta.dirname, '../../dist/io/file-checkpoint-store.js'));

/** Writes generations without end; each holds its step in every place, and is told once it is written. */
const writer = `
  import { FileCheckpointStore } from ${JSON.stringify(store.href)};
  const store = new FileCheckpointStore(process.argv[1], { keep: 2 });
  for (let step = Number(process.argv[2]); ; step += 1) {
    const weights = new Float64Array(20000).fill(step);
    store.write({ part: { json: { step }, arrays: { weights } } });
    process.stdout.write(step + '\\n');
  }
`;

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Runs the writer and kills it `delay` milliseconds after its third checkpoint; the last step it told. */
function writeUntilKilled(firstStep: number, delay: number): Promise<number> {
  const args = ['--input-type=module', '-e', writer, directory, String(firstStep)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise(done => {
    let told = '';
    child.stdout.on('data', data => {
      told += data;
      if (told.split('\n').length > 3) setTimeout(() => child.kill('SIGKILL'), delay);
    });
    child.on('close', () => done(Number(told.trimEnd().split('\n').at(-1))));
  });
}

describe('a checkpoint store whose process is killed', () => {
  it('has a whole newest generation, none older than the last one told of', async () => {
    let step = 1;
    for (let round = 0; round < 12; round += 1) {
      const told = await writeUntilKilled(step, round);
      const damaged: string[] = [];
      const parts = new FileCheckpointStore(directory).readNewest(name => damaged.push(name));
      const { json, arrays } = parts!.part!;
      expect(damaged).toEqual([]);
      expect(told).toBeGreaterThanOrEqual(step + 2);
      expect(json.step).toBeGreaterThanOrEqual(told);
      expect(arrays.weights).toStrictEqual(new Float64Array(20_000).fill(json.step as number));
      step = (json.step as number) + 1;
    }
    new FileCheckpointStore(directory, { keep: 2 }).write({});
    expect(readdirSync(directory).every(name => /^gen-\d{8}$/.test(name))).toBe(true);
    expect(readdirSync(directory).length).toBe(2);
  });
});
