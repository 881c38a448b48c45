import { median } from '../timing/median.mjs';
import { roundsOf } from '../timing/rounds-of.mjs';
import { measure } from './measure.mjs';

/**
 * Measures several commands in turn, round after round; one with fewer runs has them spread evenly over
 * the rounds. A command that fails is not run again, and its outcome says why.
 *
 * @param {readonly { name: string, runs: number, command: readonly string[] | ((run: number) => readonly string[]), stdout?: string }[]} tasks
 *   a `command` that is different in each run is a function of the runs before
 * @param {(text: string) => void} progress
 * @returns {Promise<Map<string, { runs: number, seconds?: number, peakBytes?: number, failed?: string }>>}
 *   medians, by name
 */
export async function runRounds(tasks, progress) {
  const rounds = Math.max(0, ...tasks.map(({ runs }) => runs));
  const taken = new Map(tasks.map(({ name }) => [name, { runs: [], failed: undefined }]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, runs, command, stdout } of tasks) {
      const record = taken.get(name);
      if (record.failed !== undefined || !roundsOf(runs, rounds).includes(round)) continue;
      progress(`${name}, run ${record.runs.length + 1} of ${runs}`);
      try {
        const given = typeof command === 'function' ? command(record.runs.length) : command;
        record.runs.push(await measure(given, { stdout }));
      } catch (error) {
        record.failed = String(error.message ?? error);
        progress(record.failed);
      }
    }
  }
  return new Map([...taken].map(([name, record]) => [name, summary(record)]));
}

function summary({ runs, failed }) {
  if (failed !== undefined) return { runs: runs.length, failed };
  const peaks = runs.map(({ peakBytes }) => peakBytes).filter(peak => peak !== undefined);
  return {
    runs: runs.length,
    seconds: median(runs.map(({ seconds }) => seconds)),
    ...(peaks.length === 0 ? {} : { peakBytes: median(peaks) }),
  };
}
