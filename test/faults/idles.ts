import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Waits until a process does nothing any more, in none of its threads, or has ended. */
export async function idles({ pid, exitCode }: ChildProcess): Promise<void> {
  const threads = () =>
    readdirSync(`/proc/${pid}/task`).map(task => {
      const [state, ...fields] = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
        .split(') ')[1]!
        .split(' ');
      return { sleeps: state === 'S', time: Number(fields[10]) + Number(fields[11]) };
    });
  const timeOf = (all: ReturnType<typeof threads>) => all.reduce((sum, { time }) => sum + time, 0);
  try {
    for (let before = 0; exitCode === null; ) {
      const now = threads();
      const time = timeOf(now);
      if (time === before && time > 10 && now.every(({ sleeps }) => sleeps)) return;
      before = time;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  } catch (error) {
    // It has ended, and what it has said shows why.
    if (!/ENOENT|ESRCH/.test(String(error))) throw error;
  }
}
