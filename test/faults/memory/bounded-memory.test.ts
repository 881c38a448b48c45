import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';

const MiB = 2 ** 20;
const isLong = process.env.TAGSTREAM_FAULTS === 'long';
const total = (isLong ? 10_000 : 200) * MiB;
const limit = 250;
const folder = workspace();
const heap = ['--max-old-space-size=64'];

/** About a mebibyte of records, each with a kilobyte that is not ours beside its tokens. */
const block = (() => {
  const body = 'x'.repeat(1000);
  const lines = toyRecords(900, false).map(line => `${line.slice(0, -1)},"body":"${body}"}\n`);
  return Buffer.from(lines.join(''));
})();

/** What all that passes through a process over the same pipe: `from(...).pipe(concatMap(...))`. */
const control = `
  import { createInterface } from 'node:readline';
  import { concatMap, from, lastValueFrom } from 'rxjs';
  const write = line => new Promise(done => process.stdout.write(line + '\\n', () => done()));
  await lastValueFrom(from(createInterface({ input: process.stdin })).pipe(concatMap(write)));
`;

const resident = ({ pid }: ChildProcess) =>
  Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
const bytesRead = ({ pid }: ChildProcess) =>
  Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))![1]);
const pause = (milliseconds: number) => new Promise(done => setTimeout(done, milliseconds));

interface Course {
  /** Memory in MiB at every 32nd of the input. */
  readonly samples: readonly number[];
  readonly linesOut: number;
  readonly linesIn: number;
  /** Bytes that were read while the reader of the output stood still. */
  readonly readMeanwhile: number;
}

/**
 * Feeds a process, whose output is taken more slowly than it is made, and watches its memory.
 *
 * @param rest milliseconds that the reader rests after every mebibyte
 */
async function course(command: string[], size: number, cwd: string, rest = 15): Promise<Course> {
  const child = spawn(process.execPath, [...heap, ...command], {
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let ended = false;
  void closed.then(() => {
    ended = true;
  });
  child.stdin!.on('error', () => undefined);
  let linesOut = 0;
  let taken = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) linesOut += 1;
    taken += chunk.length;
    if (taken < MiB) return;
    taken = 0;
    child.stdout!.pause();
    setTimeout(() => child.stdout!.resume(), rest);
  });
  const samples: number[] = [];
  let readMeanwhile = 0;
  let fed = 0;
  while (fed < size && !ended) {
    if (!child.stdin!.write(block)) await Promise.race([drained(child), closed]);
    fed += block.length;
    if (ended) break;
    if (fed >= ((samples.length + 1) * size) / 32) samples.push(resident(child));
    if (samples.length === 16 && readMeanwhile === 0) {
      child.stdout!.pause();
      // The writer is not waited for: it may well stand still now.
      child.stdin!.write(block);
      fed += block.length;
      await pause(1500);
      const before = bytesRead(child);
      await pause(1500);
      readMeanwhile = bytesRead(child) - before + 1;
      child.stdout!.resume();
    }
  }
  child.stdin!.end();
  await closed;
  return { samples, linesOut, linesIn: (fed / block.length) * 900, readMeanwhile };
}

/** Resolves when there is room again, or the process is gone. */
async function drained(child: ChildProcess): Promise<void> {
  await once(child.stdin!, 'drain').catch(() => undefined);
}

/** Slope of a line through the samples of the second half, times their number: MiB of growth. */
function growth(samples: readonly number[]): number {
  const half = samples.slice(samples.length >> 1);
  const middle = (half.length - 1) / 2;
  const mean = half.reduce((sum, value) => sum + value, 0) / half.length;
  const covariance = half.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0);
  const variance = half.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  return (covariance / variance) * half.length;
}

describe.runIf(process.platform === 'linux')(
  'a stream with a reader slower than the tagger',
  () => {
    beforeAll(async () => {
      const pipeline = toyPipeline(folder, 60);
      await trainHere(pipeline);
    });

    it(`takes the same memory throughout, and stands still with its reader`, {
      tags: 'slow',
    }, async () => {
      const command = [join(root, 'dist/cli/main.js'), 'tag', '--model', 'toy.model'];
      const { samples, linesIn, linesOut, readMeanwhile } = await course(command, total, folder);
      const peak = Math.max(...samples);
      console.log(
        `bounded: ${Math.round(total / MiB)} MiB in, ${linesOut} of ${linesIn} records out, ` +
          `peak ${peak.toFixed(0)} MiB, growth ${growth(samples).toFixed(1)} MiB over the second half`,
      );
      expect(linesOut).toBe(linesIn);
      expect(peak).toBeLessThan(limit);
      expect(growth(samples)).toBeLessThan(isLong ? 15 : 10);
      // A wake-up of the event loop reads eight bytes; the input comes by tens of thousands.
      expect(readMeanwhile).toBeLessThan(32_768);
    });

    it('is more than raw operators can take', { tags: 'slow' }, async () => {
      const command = ['--input-type=module', '-e', control];
      // Its modules are looked for from the folder that it runs in. The reader is slow enough to be the slower one on
      // any machine, however busy that is: what cannot wait for it does not live long.
      const { samples, linesIn, linesOut } = await course(command, 300 * MiB, root, 400);
      const peak = Math.max(...samples);
      console.log(`bounded: the control came to ${peak.toFixed(0)} MiB, ${linesOut} of ${linesIn}`);
      expect(peak >= limit || linesOut < linesIn).toBe(true);
    });
  },
);
