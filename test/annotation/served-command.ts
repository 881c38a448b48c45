import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const program = join(resolve(import.meta.dirname, '../..'), 'dist/cli/main.js');

/** A running `tagstream annotate`. */
export interface ServedCommand {
  readonly url: string;
  readonly port: number;
  /** Ends it; resolves when it is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

/** Starts the command; resolves when it listens. */
export async function serveCommand(
  words: readonly string[],
  cwd: string,
  port = 0,
): Promise<ServedCommand> {
  const command: ChildProcess = spawn(
    process.execPath,
    [program, ...words, '--port', String(port)],
    { cwd },
  );
  let text = '';
  for await (const part of command.stderr!) {
    text += String(part);
    const found = /(?:open|listens on) (http:\/\/127\.0\.0\.1:(\d+)\/)/.exec(text);
    if (found === null) continue;
    command.stderr!.resume();
    return {
      ...{ url: found[1]!, port: Number(found[2]) },
      end: async signal => {
        const ended = once(command, 'exit');
        command.kill(signal);
        await ended;
      },
    };
  }
  throw new Error(text);
}
