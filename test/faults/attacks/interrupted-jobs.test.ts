// @module-tag slow
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { workspace } from '../../cli/commands/workspace.js';
import { attackCount, longForm, reportCounts } from '../long-form.js';
import { faultsSeed, printSeed, randomOf } from '../seed.js';
import type { Attacked, Undisturbed } from './attacked.js';
import { describeCall, failCalls, pickCall, runInjected } from './fail-calls.js';
import { freshFolder } from './job-folder.js';
import { type Job, prepareJobs } from './jobs.js';
import { killJobs } from './kill-jobs.js';
import { runJob } from './run-job.js';
import { signalJobs } from './signal-jobs.js';
import {
  callsIn,
  canTrace,
  changingCalls,
  readingCalls,
  tracedEnvironment,
  tracing,
} from './system-calls.js';

printSeed('interrupted jobs');
const folder = workspace();
const log = join(folder, 'calls.log');
const broken = join(folder, 'broken');
const jobs = new Map<Job, Undisturbed>();
/** Choices of its own for each attack, so that one can be replayed without the others. */
const attackedBy = (own: number): Attacked => ({ jobs, broken, log, random: randomOf(own) });
const report = (attack: string, counts: object) =>
  reportCounts(`${attack}, seed ${faultsSeed}`, counts);

beforeAll(async () => {
  const sizes = longForm
    ? { tagged: 8000, learned: 4000, epochs: 40 }
    : { tagged: 800, learned: 400, epochs: 6 };
  for (const job of await prepareJobs(folder, sizes)) {
    const own = join(folder, `whole-${job.name.replaceAll(' ', '-')}`);
    freshFolder(job, own);
    const under = canTrace ? tracing([...changingCalls, ...readingCalls], log) : [];
    const end = await runJob(job, own, { under, env: canTrace ? tracedEnvironment : {} });
    expect(end, job.name).toMatchObject({ code: 0, signal: null });
    const calls = canTrace ? callsIn(log, folder) : [];
    jobs.set(job, { folder: own, milliseconds: end.milliseconds, calls });
  }
});

if (!canTrace) {
  console.log('faults: kills and errors at system calls: skipped, no strace may trace here');
}

describe('a run that is killed and resumed leaves whole files, and in the end the same', () => {
  it('at random instants', async () => {
    const attacked = attackedBy(31);
    const counts = await killJobs(
      attacked,
      attackCount(2, 200),
      (job, { milliseconds }, history) => {
        const wait = attacked.random.below(Math.ceil(1.05 * milliseconds));
        history.add(`killed after ${wait} ms`);
        return runJob(job, broken, {
          onStart: child => setTimeout(() => child.kill('SIGKILL'), wait).unref(),
        });
      },
    );
    report('random kills', counts);
  });

  it.runIf(canTrace)('at chosen system calls', async () => {
    const attacked = attackedBy(32);
    const counts = await killJobs(attacked, attackCount(2, 300), (job, undisturbed, history) => {
      const changing = undisturbed.calls.filter(({ name }) => changingCalls.includes(name));
      const call = pickCall(attacked, changing);
      history.add(`killed at ${describeCall(call)}`);
      return runInjected(attacked, job, undisturbed, call, { what: 'signal=KILL' });
    });
    report('kills at system calls', counts);
  });
});

describe('a run that is disturbed ends in order or with an error, and leaves the same when it is run again', () => {
  it.runIf(canTrace)('by a system call that fails', async () =>
    report('errors of system calls', await failCalls(attackedBy(33), attackCount(2, 300), folder)),
  );

  it('by signals in every phase', async () =>
    report('signals', await signalJobs(attackedBy(34), attackCount(2, 300))));
});
