import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { memoryProbe } from './memory-probe.mjs';

/** The end of what a failed command said that is shown. */
const shownCharacters = 2000;

/**
 * Runs a command to its end and measures it: wall time from before it is started until it has ended,
 * and its peak memory, where that can be known.
 *
 * @param {readonly string[]} command the program and its arguments
 * @param {{ stdout?: string }} options `stdout`: file that takes its standard output
 * @returns {Promise<{ seconds: number, peakBytes: number | undefined }>}
 * @throws Error with the end of its standard error, if the command cannot be run or fails
 */
export async function measure(command, { stdout } = {}) {
  const probe = memoryProbe();
  const out = stdout === undefined ? undefined : openSync(stdout, 'w');
  try {
    const [program, ...given] = probe.wrap(command);
    const start = process.hrtime.bigint();
    const child = spawn(program, given, { stdio: ['ignore', out ?? 'ignore', 'pipe'] });
    const peak = probe.watch(child.pid);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', text => {
      said = (said + text).slice(-shownCharacters);
    });
    const code = await ended(child).catch(error => error.message);
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    const peakBytes = peak();
    if (code === 0) return { seconds, peakBytes };
    throw new Error(`${command.join(' ')} ended with ${code}, expected 0: ${said.trim()}`);
  } finally {
    if (out !== undefined) closeSync(out);
    probe.dispose();
  }
}

/** Exit code, or the signal that ended it. */
function ended(child) {
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => done(code ?? signal));
  });
}
