import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchPeak } from './watch-peak.mjs';

const gnuTime = ['/usr/bin/time', '-f', '%M', '-o'];

let timeIsThere;

/**
 * A way to the peak memory (resident set) of a process on Linux: GNU time around the command where it
 * is installed, to which the kernel reports the peak when the command has ended; else looks at it while it
 * runs. Elsewhere nothing is known.
 *
 * `wrap` gives the command to start, `watch` begins to look at the process, and what it returns ends
 * that and gives the bytes.
 */
export function memoryProbe() {
  timeIsThere ??= spawnSync(gnuTime[0], ['-f', '%M', 'true'], { stdio: 'ignore' }).status === 0;
  if (!timeIsThere) {
    return { wrap: command => [...command], watch: watchPeak, dispose: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'tagstream-memory-'));
  const file = join(folder, 'peak');
  return {
    wrap: command => [...gnuTime, file, ...command],
    watch: () => () => Number(readFileSync(file, 'utf8').trim().split('\n').at(-1)) * 1024,
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
