import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { tagstream } from '../../cli/commands/run-command.js';
import type { Page } from './page.js';
import { readCommand } from './read-command.js';

const run = promisify(execFile);

/** What a command has printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty folder in which the command and the library are installed, as a new user has it. */
export class EmptyFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'tagstream-readme-'));
  readonly #environment: NodeJS.ProcessEnv;
  readonly #root: string;

  /** @param root the project */
  constructor(root: string) {
    this.#root = root;
    const shims = join(this.path, '.shims');
    mkdirSync(join(this.path, 'node_modules'), { recursive: true });
    mkdirSync(shims);
    symlinkSync(root, join(this.path, 'node_modules/tagstream'));
    for (const name of ['rxjs', 'zod']) {
      symlinkSync(join(root, 'node_modules', name), join(this.path, 'node_modules', name));
    }
    const shim = join(shims, 'tagstream');
    writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${root}/dist/cli/main.js" "$@"\n`);
    chmodSync(shim, 0o755);
    this.#environment = {
      ...process.env,
      TAGSTREAM: root,
      PATH: `${shims}:${resolve(process.execPath, '..')}:${process.env.PATH}`,
    };
  }

  /** Writes the blocks of a page that have a file name. */
  write({ blocks }: Page): void {
    for (const { name, language, code } of blocks) {
      if (name !== '' && language !== 'sh') writeFileSync(join(this.path, name), code);
    }
  }

  /**
   * Runs a line as `sh` does, and one that only runs our command in this process, which saves the start of two.
   */
  async run(line: string): Promise<Printed> {
    const command = readCommand(line, { PWD: this.path, TAGSTREAM: this.#root });
    if (command === undefined) return this.sh(line);
    const { words, stdin } = command;
    const { code, ...printed } = await tagstream(words, { cwd: this.path, stdin });
    if (code !== 0) throw new Error(`it ends with ${code}: ${printed.stderr}`);
    return printed;
  }

  /** Runs a line of shell; fails where it ends with anything but 0. */
  sh(command: string, cwd = this.path): Promise<Printed> {
    return run('sh', ['-ec', command], { cwd, env: this.#environment, maxBuffer: 1 << 28 });
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
