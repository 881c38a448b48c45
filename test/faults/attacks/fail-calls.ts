import { expect } from 'vitest';
import { type Attacked, History, inTurns, pick, type Undisturbed } from './attacked.js';
import { expectSameFolder, expectWholeResults, freshFolder } from './job-folder.js';
import type { Job } from './jobs.js';
import { hasStackTrace, type JobEnd, runJob } from './run-job.js';
import {
  type Injection,
  injectedPaths,
  injecting,
  isIn,
  isRepeatable,
  type SystemCall,
  tracedEnvironment,
} from './system-calls.js';

/** Errors by the calls at which they may come. */
const errorsOf: readonly (readonly [error: string, calls: RegExp])[] = [
  ['ENOSPC', /^(p?writev?|pwrite64|open|openat|ftruncate|mkdir|mkdirat|rename|renameat2?|fsync)$/],
  ['EIO', /./],
  ['EACCES', /^(open|openat|rename|renameat2?|unlink|unlinkat|mkdir|mkdirat|link|linkat)$/],
  ['EMFILE', /^open(at)?$/],
  ['EINTR', /^(p?writev?|pwrite64|read|pread64|open|openat|fsync)$/],
  ['EAGAIN', /^(p?writev?|pwrite64|read|pread64)$/],
];

/** A call: first a kind of call, then one of the kind, so that rare kinds come as often as others. */
export function pickCall({ random }: Attacked, from: readonly SystemCall[]): SystemCall {
  const name = pick(random, [...new Set(from.map(call => call.name))]);
  return pick(
    random,
    from.filter(call => call.name === name),
  );
}

/** Runs a job in the folder that is attacked, with what happens at a call of the undisturbed run. */
export function runInjected(
  attacked: Attacked,
  job: Job,
  undisturbed: Undisturbed,
  call: SystemCall,
  injection: Injection,
): Promise<JobEnd> {
  const there = { ...call, path: call.path.replace(undisturbed.folder, attacked.broken) };
  const under = injecting(there, injection, attacked.log);
  return runJob(job, attacked.broken, { under, env: tracedEnvironment });
}

/** In words, for messages. */
export function describeCall({ name, number, path }: SystemCall): string {
  return `${name} ${number} of ${path}`;
}

/**
 * Has calls of jobs fail: each job does its work all the same, or ends with an error and whole results and does
 * it when it is run again.
 *
 * @param folder with the files of all jobs
 * @returns what was counted
 */
export async function failCalls(attacked: Attacked, wanted: number, folder: string) {
  const { broken, random } = attacked;
  const counts = { errors: 0, 'exit code 1': 0, 'exit code 0': 0, 'not reached': 0, elsewhere: 0 };
  for (const [job, undisturbed] of inTurns(attacked)) {
    if (counts.errors >= wanted) break;
    freshFolder(job, broken);
    const call = pickCall(attacked, undisturbed.calls);
    const [error] = pick(
      random,
      errorsOf.filter(([, names]) => names.test(call.name)),
    );
    // A call that is interrupted for good is repeated for good.
    const fromThenOn = error !== 'EINTR' && isRepeatable(call.path) && random.below(3) === 0;
    const history = new History(job);
    history.add(`${error} at ${describeCall(call)}${fromThenOn ? ' and later' : ''}`);
    const injection = { what: `error=${error}`, fromThenOn };
    const end = await runInjected(attacked, job, undisturbed, call, injection);
    const paths = injectedPaths(attacked.log);
    // Threads do not number their calls alike in each run: an error of what wakes a thread ends Node.
    if (!paths.every(path => isIn(folder, path))) {
      counts.elsewhere += 1;
      continue;
    }
    if (paths.length === 0) counts['not reached'] += 1;
    else counts.errors += 1;
    expect([0, 1], `${history}\n${end.stderr}`).toContain(end.code);
    expect(hasStackTrace(end.stderr) ? end.stderr : '', `${history}`).toBe('');
    if (end.code === 0) {
      counts['exit code 0'] += 1;
    } else {
      counts['exit code 1'] += 1;
      expect(end.stderr, `${history}`).toMatch(/^tagstream: .+/m);
      expectWholeResults(job, broken, undisturbed.folder, `${history}`);
      const again = await runJob(job, broken);
      expect(again, `${history}`).toMatchObject({ code: 0, signal: null });
    }
    expectSameFolder(job, broken, undisturbed.folder, `${history}`);
  }
  return counts;
}
