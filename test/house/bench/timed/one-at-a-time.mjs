import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Records before the first that is measured: the program has started and is warm by then. */
const warmUp = 300;

/**
 * How long a client waits for the answer to each record that it sends to a program alone: the next one follows when the
 * answer has come. Answers are lines.
 *
 * @param {readonly string[]} command
 * @param {(number: number) => string} recordOf the line of a record
 * @param {number} count records that are measured
 * @returns {Promise<number[]>} milliseconds, in the order of the records
 */
export async function oneAtATime([program, ...given], recordOf, count) {
  const child = spawn(program, given, { stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-2000);
  });
  let answered;
  child.stdout.on('data', bytes => {
    if (bytes.at(-1) === 10) answered();
  });
  const failed = closed.then(([code]) => {
    throw new Error(`${program} ${given.join(' ')} ended with ${code}: ${said}`);
  });
  failed.catch(() => undefined);
  child.stdin.on('error', () => undefined);
  const waited = [];
  try {
    for (let number = 0; number < warmUp + count; number += 1) {
      const answer = new Promise(resolve => {
        answered = resolve;
      });
      const record = recordOf(number);
      const start = performance.now();
      child.stdin.write(record);
      await Promise.race([answer, failed]);
      if (number >= warmUp) waited.push(performance.now() - start);
    }
  } finally {
    child.stdin.end();
    child.kill();
    await closed;
  }
  return waited;
}
