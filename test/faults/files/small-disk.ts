import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Outcome, root } from '../../cli/commands/run-command.js';

const mount = (size: string) => `mount -t tmpfs -o size=${size},mode=755 tmpfs "$DISK"`;

/** Whether file systems can be mounted where nobody else sees them: as root, under Linux. */
export const canMount =
  spawnSync('unshare', ['-m', 'bash', '-c', `DISK=/mnt; ${mount('64k')}`]).status === 0;

/**
 * Runs a script of bash in which `$DISK` is a folder with a file system of its own of `size`, that ends
 * with the script, and `tagstream` is the command. `$FOLDER` is kept.
 */
export function onSmallDisk(folder: string, size: string, script: string): Promise<Outcome> {
  const disk = join(folder, 'disk');
  mkdirSync(disk, { recursive: true });
  const command = resolve(root, 'dist/cli/main.js');
  const define = 'tagstream() { "$NODE" "$COMMAND" "$@"; }';
  const child = spawn(
    'unshare',
    ['-m', 'bash', '-c', `set -e; ${mount(size)}; ${define}; set +e; ${script}`],
    {
      env: { ...process.env, DISK: disk, FOLDER: folder, NODE: process.execPath, COMMAND: command },
    },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', data => {
    stdout += data;
  });
  child.stderr.on('data', data => {
    stderr += data;
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', code => done({ code, stdout, stderr }));
  });
}
