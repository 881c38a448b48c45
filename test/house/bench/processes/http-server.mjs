import { spawn } from 'node:child_process';

/**
 * Starts a program that says on its standard error where it listens.
 *
 * @param {readonly string[]} command
 * @param {string} [cwd]
 * @returns {Promise<{ url: string, end: () => Promise<void> }>}
 * @throws Error with what it said, where it ends before
 */
export async function httpServer([program, ...given], cwd) {
  const child = spawn(program, given, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise(done => child.once('exit', done));
  const url = await new Promise((found, fail) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', text => {
      said += text;
      const match = /on (http:\/\/[\w.]+:\d+)/.exec(said);
      if (match !== null) found(match[1]);
    });
    child.once('error', fail);
    child.once('exit', () => fail(new Error(said.slice(-2000))));
  });
  return {
    url,
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
