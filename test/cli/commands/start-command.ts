import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root } from './run-command.js';

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/** A command at work. */
export interface Started {
  readonly child: ChildProcess;
  /** What it has said so far. */
  readonly report: { stdout: string; stderr: string };
  /** Lines of the standard output so far. */
  lines(): string[];
  /** Waits until a stream has said something. */
  until(stream: 'stdout' | 'stderr', isThere: (text: string) => boolean): Promise<void>;
  /** Waits until it minds signals: it has its own handler for SIGHUP, which comes last. */
  mindsSignals(): Promise<void>;
  /** Waits until it has written what its reader takes, and writes no more. */
  standsStill(): Promise<void>;
  readonly closed: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts `tagstream`; its standard output may go to another process. */
export function start(
  given: readonly string[],
  options: { stdout?: NonNullable<ChildProcess['stdin']>; cwd?: string } = {},
): Started {
  const command = [join(root, 'dist/cli/main.js'), ...given];
  const { cwd = root } = options;
  const stdio = ['pipe', options.stdout ?? 'pipe', 'pipe'] as const;
  const child: ChildProcess = spawn(process.execPath, command, { cwd, stdio: [...stdio] });
  const report = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      report[stream] += chunk;
    });
  }
  // The command may end before it has read everything.
  child.stdin!.on('error', () => undefined);
  const status = (file: string, pattern: RegExp) =>
    pattern.exec(readFileSync(`/proc/${child.pid}/${file}`, 'utf8'))![1]!;
  const closed = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    ...report,
  }));
  return {
    child,
    report,
    lines: () => report.stdout.split('\n').slice(0, -1),
    until: async (stream, isThere) => {
      const ended = closed.then(() => 'ended');
      while (!isThere(report[stream])) {
        const next = await Promise.race([once(child[stream]!, 'data'), ended]);
        if (next === 'ended' && !isThere(report[stream])) {
          throw new Error(`it ended with: ${report.stderr}`);
        }
      }
    },
    mindsSignals: async () => {
      const bit = 1n << BigInt(constants.signals.SIGHUP - 1);
      while ((BigInt(`0x${status('status', /SigCgt:\s*(\w+)/)}`) & bit) === 0n) await pause(5);
    },
    standsStill: async () => {
      let before = -1;
      for (;;) {
        const written = Number(status('io', /wchar: (\d+)/));
        if (written === before && written > 100_000) return;
        before = written;
        await pause(200);
      }
    },
    closed,
  };
}
