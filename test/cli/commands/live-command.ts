import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { root } from './run-command.js';

/** `tagstream` while it runs: fed, watched and ended by a test. */
export class LiveCommand {
  readonly child: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';
  readonly #ended: Promise<number | null>;

  /**
   * @param options.reads whether its output is read from the beginning
   * @param options.files files that it may have open at most
   * @param options.env variables besides those of the test
   */
  constructor(
    given: readonly string[],
    options: { cwd?: string; reads?: boolean; files?: number; env?: Record<string, string> } = {},
  ) {
    const command = [process.execPath, resolve(root, 'dist/cli/main.js'), ...given];
    const limit = options.files === undefined ? '' : `ulimit -n ${options.files}; `;
    const shell = `${limit}exec "$@"`;
    this.child = spawn('sh', ['-c', shell, 'sh', ...command], {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
    });
    this.#ended = once(this.child, 'close').then(([code]) => code as number | null);
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += String(chunk);
    });
    this.child.stdin.on('error', () => undefined);
    if (options.reads !== false) this.read();
  }

  read(): void {
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.stdout += String(chunk);
    });
  }

  /** The exit code. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Waits until something is so, or fails if the command ends before. */
  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      if (this.child.exitCode !== null) throw new Error(`it has ended: ${this.stderr}`);
      await new Promise(done => setTimeout(done, 5));
    }
  }

  /** A page of its metrics server, once it has reported where that is. */
  async get(page: string): Promise<{ readonly code: number; readonly text: string }> {
    const reported = /http:\/\/[^\s/"]+/;
    await this.until(() => reported.test(this.stderr));
    const response = await fetch(`${reported.exec(this.stderr)![0]}${page}`);
    return { code: response.status, text: await response.text() };
  }

  /** The value of a metric; undefined while it is absent. */
  async metric(name: string): Promise<number | undefined> {
    const { text } = await this.get('/metrics');
    const line = text.split('\n').find(each => each.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  }
}
