import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { command } from './command.mjs';

/**
 * Starts `tagstream annotate` on a free port.
 *
 * @param {readonly string[]} words its arguments
 * @returns {Promise<{ url: string, seconds: number, ask: (path: string, body?: object) => Promise<any>, peakBytes: () => number | undefined, end: () => Promise<void> }>}
 *   `seconds`: until it says that the page is there
 * @throws Error with what it said, where it ends before
 */
export async function servedPage(words) {
  const [program, ...given] = command('annotate', ...words, '--port', '0');
  const start = process.hrtime.bigint();
  const child = spawn(program, given, { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await address(child);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const ended = new Promise(done => child.once('exit', done));
  const ask = async (path, body = {}) => {
    const response = await fetch(`${url}api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}, ${await response.text()}`);
    return response.json();
  };
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, seconds, ask, peakBytes: () => peakOf(child.pid), end };
}

function address(child) {
  return new Promise((found, fail) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', text => {
      said += text;
      const match = /open (http:\S+)/.exec(said);
      if (match !== null) found(match[1]);
    });
    child.once('error', fail);
    child.once('exit', () => fail(new Error(said.slice(-2000))));
  });
}

/** The most memory that a process has had, where the system says it. */
function peakOf(pid) {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return 1024 * Number(kibibytes);
  } catch {
    return undefined;
  }
}
