import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** What a command left behind. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The checkout. */
export const root = resolve(import.meta.dirname, '../../..');

const command = resolve(root, 'dist/cli/main.js');

/** Runs `tagstream` with arguments in a folder, with some standard input. */
export function tagstream(
  given: readonly string[],
  options: { cwd?: string; stdin?: string | Uint8Array; env?: Record<string, string> } = {},
): Promise<Outcome> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [command, ...given], {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', fail);
    child.on('close', code =>
      done({
        code,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      }),
    );
    // The command may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
  });
}
