import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { root } from '../../cli/commands/run-command.js';
import type { Job } from './jobs.js';

/** How a process has ended. */
export interface JobEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly milliseconds: number;
}

/** What is done to a run of a job. */
export interface JobAttack {
  /** A program that runs the command, with its arguments before it. */
  readonly under?: readonly string[];
  /** Called with the started process. */
  readonly onStart?: (child: ChildProcess) => void;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a job in a folder until its process has ended, whatever ends it. */
export function runJob(job: Job, folder: string, attack: JobAttack = {}): Promise<JobEnd> {
  const command = [process.execPath, resolve(root, 'dist/cli/main.js'), ...job.given];
  const [program, ...rest] = [...(attack.under ?? []), ...command];
  const began = performance.now();
  const child = spawn(program!, rest, { cwd: folder, env: { ...process.env, ...attack.env } });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(job.stdin ?? '');
  attack.onStart?.(child);
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) =>
      done({
        code,
        signal,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
        milliseconds: performance.now() - began,
      }),
    );
  });
}

/** Whether a text holds a stack trace, or a message of Node itself. */
export function hasStackTrace(text: string): boolean {
  return /^\s+at .*:\d+:\d+\)?$|node:internal|\(Use `node --trace/m.test(text);
}
