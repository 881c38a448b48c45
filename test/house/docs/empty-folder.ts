import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { tagstream } from '../../cli/commands/run-command.js';
import { isNightly } from '../long-forms.js';
import type { Page } from './page.js';
import { readCommand } from './read-command.js';

const run = promisify(execFile);

/** Records of the starter's files that the pages train on in the short form: enough for what they show. */
const fewer = { train: 60, heldout: 30 };

/** Minutes that a search takes in the short form, which goes on for as long as it may. */
const shortSearch = '0.03';

/** What a command has printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty folder in which the command and the library are installed, as a new user has it. */
export class EmptyFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'tagstream-readme-'));
  readonly #environment: NodeJS.ProcessEnv;
  /** What the pages call `$TAGSTREAM`. */
  readonly #checkout: string;

  /** @param root the project */
  constructor(root: string) {
    this.#checkout = isNightly ? root : this.#withFewerRecords(root);
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
      TAGSTREAM: this.#checkout,
      PATH: `${shims}:${resolve(process.execPath, '..')}:${process.env.PATH}`,
    };
  }

  /** A copy of the pipelines and the starter that trains in a fraction of the time. */
  #withFewerRecords(root: string): string {
    const checkout = join(this.path, '.checkout');
    const starter = join(checkout, 'corpora/starter');
    mkdirSync(starter, { recursive: true });
    cpSync(join(root, 'pipelines'), join(checkout, 'pipelines'), { recursive: true });
    for (const [name, most] of Object.entries(fewer)) {
      const lines = readFileSync(join(root, `corpora/starter/${name}.ndjson`), 'utf8').split('\n');
      writeFileSync(join(starter, `${name}.ndjson`), `${lines.slice(0, most).join('\n')}\n`);
    }
    return checkout;
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
    const command = readCommand(line, { PWD: this.path, TAGSTREAM: this.#checkout });
    if (command === undefined) return this.sh(line);
    const { stdin } = command;
    const words = isNightly ? command.words : withShortSearch(command.words);
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

function withShortSearch(words: readonly string[]): readonly string[] {
  return words.map((word, i) => (words[i - 1] === '--minutes' ? shortSearch : word));
}
