import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { run } from '../../../src/cli/command-line.js';

/** What a command left behind. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is started. */
export interface Start {
  /** The folder that it works in. Default: the checkout. */
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  /** Variables besides those of the test. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The checkout. */
export const root = resolve(import.meta.dirname, '../../..');

const command = resolve(root, 'dist/cli/main.js');

/** Words of a line that the parser answers, and paths of open files: those of the process, not of a command in it. */
const ofProcess = /^--(?:help|version)$|^completion$|^\/(?:dev\/(?:std|fd)|proc\/self)/;

/** Signals that a command listens to while it works. */
const signals = ['SIGHUP', 'SIGINT', 'SIGTERM', 'exit'] as const;

/** Settled when the commands that were asked for before have ended: folder and environment are those of the process. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Runs `tagstream` with arguments in a folder, with some standard input: the sources, in this process, one command after
 * the other, which saves the start of a process. What only a process shows is for `tagstreamProcess`: descriptors,
 * `/dev/stdin`, signals, help and completions of the parser, what is built.
 *
 * @throws Error if it needs a process; rejects with an Error if the command still listens to the process when it has ended
 */
export function tagstream(given: readonly string[], start: Start = {}): Promise<Outcome> {
  if (given.length === 0 || given.some(word => ofProcess.test(word)) || start.env?.NODE_OPTIONS) {
    throw new Error(`tagstream ${given.join(' ')} needs tagstreamProcess`);
  }
  const outcome = before.then(() => runHere(given, start));
  before = outcome.catch(() => undefined);
  return outcome;
}

async function runHere(
  given: readonly string[],
  { cwd = root, stdin = '', env = {} }: Start,
): Promise<Outcome> {
  const stdout = new Collected();
  const stderr = new Collected();
  const input = Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]);
  const folder = process.cwd();
  const own = Object.keys(env).map(name => [name, process.env[name]] as const);
  const listeners = countListeners();
  process.chdir(cwd);
  Object.assign(process.env, env);
  let code: number;
  try {
    code = await run(given, { stdin: input, stdout, stderr });
  } finally {
    process.chdir(folder);
    for (const [name, value] of own) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    input.destroy();
  }
  if (countListeners() !== listeners) {
    throw new Error(
      `tagstream ${given.join(' ')} still listens to the process: ${countListeners()}`,
    );
  }
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function countListeners(): string {
  return signals.map(name => `${name} ${process.listenerCount(name)}`).join(', ');
}

/** Keeps what is written. */
class Collected extends Writable {
  readonly #parts: Buffer[] = [];

  override _write(part: Buffer, _encoding: string, done: () => void): void {
    // The writer may use its memory again.
    this.#parts.push(Buffer.from(part));
    done();
  }

  text(): string {
    return Buffer.concat(this.#parts).toString();
  }
}

/** The same in a process of its own, of the command that is built. */
export function tagstreamProcess(given: readonly string[], start: Start = {}): Promise<Outcome> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [command, ...given], {
      cwd: start.cwd ?? root,
      env: { ...process.env, ...start.env },
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
    child.stdin.end(start.stdin ?? '');
  });
}
