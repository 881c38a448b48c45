import { expect } from 'vitest';
import { type Attacked, History, inTurns, type Undisturbed } from './attacked.js';
import { expectSameFolder, expectWholeResults, freshFolder } from './job-folder.js';
import type { Job } from './jobs.js';
import { type JobEnd, runJob } from './run-job.js';

/** Runs a job in the folder that is attacked, where something kills it, and says in the history what. */
export type Kill = (job: Job, undisturbed: Undisturbed, history: History) => Promise<JobEnd>;

/**
 * Kills jobs, some of them several times before they are resumed for good: each kill leaves whole results, and in
 * the end there is what an undisturbed run leaves.
 *
 * @returns what was counted
 */
export async function killJobs(attacked: Attacked, wanted: number, kill: Kill) {
  const { broken, random } = attacked;
  const counts = { kills: 0, runs: 0, 'ended before': 0, orphans: 0 };
  for (const [job, undisturbed] of inTurns(attacked)) {
    if (counts.kills >= wanted) break;
    freshFolder(job, broken);
    const history = new History(job);
    const inARow = 1 + random.below(3);
    for (let k = 0; k < inARow && counts.kills < wanted; k += 1) {
      const end = await kill(job, undisturbed, history);
      if (end.signal === 'SIGKILL') counts.kills += 1;
      else {
        expect(end, `${history}`).toMatchObject({ code: 0, signal: null });
        counts['ended before'] += 1;
      }
      expectWholeResults(job, broken, undisturbed.folder, `${history}`);
    }
    const end = await runJob(job, broken);
    expect(end, `${history}`).toMatchObject({ code: 0, signal: null });
    const further = expectSameFolder(job, broken, undisturbed.folder, `${history}`);
    counts.orphans += further.length;
    counts.runs += 1;
  }
  return counts;
}
