import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { type Attacked, History, inTurns, pick } from './attacked.js';
import { expectSameFolder, freshFolder } from './job-folder.js';
import { type Job, oldContent } from './jobs.js';
import { hasStackTrace, runJob } from './run-job.js';

/** Calls a function once, at some instant in the life of a process. */
type Instant = (child: ChildProcess, folder: string, act: () => void) => void;

const after =
  (milliseconds: number): Instant =>
  (_child, _folder, act) => {
    setTimeout(act, milliseconds).unref();
  };

const atMessage =
  (number: number): Instant =>
  (child, _folder, act) => {
    let seen = 0;
    child.stderr!.on('data', () => {
      seen += 1;
      if (seen === number) act();
    });
  };

/** When the folder, or the one of checkpoints, has got so many new names. */
const atNewName =
  (number: number): Instant =>
  (child, folder, act) => {
    const names = () => readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const seen = new Set(names());
    const last = seen.size + number;
    const look = () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      for (const name of names()) seen.add(name);
      if (seen.size >= last) act();
      else setTimeout(look, 1);
    };
    look();
  };

/**
 * Sends SIGTERM or SIGINT to jobs, once or twice, at some instant of their lives: in order they end with 0, at the
 * second signal with 130 or 143, before they mind signals by the signal; nothing temporary stays, results are
 * whole or what was done in order, and the job run again leaves what an undisturbed one leaves.
 *
 * @returns what was counted
 */
export async function signalJobs(attacked: Attacked, wanted: number) {
  const { broken, random } = attacked;
  const counts = {
    signals: 0,
    'exit code 0': 0,
    'at once': 0,
    'by the signal': 0,
    'ended before': 0,
  };
  for (const [job, undisturbed] of inTurns(attacked)) {
    if (counts.signals >= wanted || counts['ended before'] >= wanted) break;
    freshFolder(job, broken);
    const signal = pick(random, ['SIGTERM', 'SIGINT'] as const);
    const [what, instant] = pickInstant(attacked, undisturbed.milliseconds);
    const again = random.below(2) === 0 ? undefined : random.below(60);
    const history = new History(job);
    history.add(`${signal} ${what}${again === undefined ? '' : `, again after ${again} ms`}`);
    let sent = 0;
    const end = await runJob(job, broken, {
      onStart: child => {
        const send = () => {
          if (child.kill(signal)) sent += 1;
        };
        instant(child, broken, () => {
          send();
          if (again !== undefined) setTimeout(send, again).unref();
        });
      },
    });
    counts.signals += sent;
    const reported = `${history}\n${end.stderr}`;
    expect(hasStackTrace(end.stderr), reported).toBe(false);
    if (end.signal !== null) {
      expect([end.signal, end.stdout], reported).toEqual([signal, '']);
      counts['by the signal'] += 1;
    } else {
      const atOnce = 128 + constants.signals[signal];
      expect(sent > 1 || !mindsSignals(job) ? [0, atOnce] : [0], reported).toContain(end.code);
      counts[end.code === 0 ? (sent === 0 ? 'ended before' : 'exit code 0') : 'at once'] += 1;
    }
    const isLeft = (name: string) =>
      /\.tmp$|(^|\/)\.tmp-/.test(name) || (end.code === 0 && name.endsWith('lock'));
    const names = readdirSync(broken, { recursive: true, encoding: 'utf8' });
    expect(names.filter(isLeft), reported).toEqual([]);
    for (const name of job.results) expectInOrder(name, broken, undisturbed.folder, reported);
    const resumed = await runJob(job, broken);
    expect(resumed, reported).toMatchObject({ code: 0, signal: null });
    expectSameFolder(job, broken, undisturbed.folder, reported);
  }
  return counts;
}

/** Whether a job ends in order when it is asked to; `convert` ends at once. */
function mindsSignals(job: Job): boolean {
  return job.given[0] !== 'convert';
}

function pickInstant({ random }: Attacked, milliseconds: number): [string, Instant] {
  const number = 1 + random.below(2);
  const wait = random.below(Math.ceil(1.05 * milliseconds));
  return pick<[string, Instant]>(random, [
    [`after ${wait} ms`, after(wait)],
    [`after ${wait} ms`, after(wait)],
    [`at message ${number}`, atMessage(number)],
    [`at new file ${number}`, atNewName(number)],
  ]);
}

/** Expects a result to be the older one, or the beginning of the new one up to the end of a record. */
function expectInOrder(name: string, folder: string, whole: string, why: string): void {
  const path = join(folder, name);
  if (!existsSync(path) && existsSync(`${path}.part`)) return;
  const found = readFileSync(path);
  if (found.toString() === oldContent) return;
  const expected = readFileSync(join(whole, name));
  if (name.endsWith('.model')) {
    expect(found.length, `${name} is empty: ${why}`).toBeGreaterThan(0);
    return;
  }
  const text = name.endsWith('.gz') ? gunzipSync(found) : found;
  const all = name.endsWith('.gz') ? gunzipSync(expected) : expected;
  // A page has an end of its own after the last sentence.
  const isPage = name.endsWith('.html');
  const isEnd = text.length === 0 || text.at(-1) === 10;
  expect(isEnd && (isPage || text.equals(all.subarray(0, text.length))), `${name}: ${why}`).toBe(
    true,
  );
}
