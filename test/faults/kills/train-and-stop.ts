import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { root } from '../../cli/commands/run-command.js';

/** Starts a training command, and ends it by a signal once it has written a number of checkpoints. */
export async function trainAndStop(
  given: readonly string[],
  checkpoints: string,
  signal: NodeJS.Signals,
  after: number,
): Promise<void> {
  const command = [resolve(root, 'dist/cli/main.js'), 'train', ...given];
  const child = spawn(process.execPath, command, { stdio: 'ignore' });
  const ended = new Promise<void>(done => child.on('close', () => done()));
  const name = `gen-${String(after).padStart(8, '0')}`;
  const newest = () =>
    existsSync(checkpoints)
      ? readdirSync(checkpoints)
          .filter(found => found.startsWith('gen-'))
          .sort()
          .at(-1)
      : undefined;
  while (child.exitCode === null && (newest() ?? '') < name) {
    await new Promise(wake => setTimeout(wake, 1));
  }
  child.kill(signal);
  await ended;
}
