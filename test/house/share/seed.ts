import { execFileSync } from 'node:child_process';

/** The seed where there is no repository. */
const usual = 45;

/**
 * What the shares of long tests are drawn with: `TAGSTREAM_SEED`, or the commit that is checked out, so that each commit
 * runs others and over time all are run.
 */
export function shareSeed(): number {
  const given = process.env.TAGSTREAM_SEED;
  if (given !== undefined) {
    if (/^\d{1,9}$/.test(given)) return Number(given);
    throw new Error(`TAGSTREAM_SEED=${given} is no whole number`);
  }
  try {
    const git = ['rev-parse', 'HEAD'];
    const commit = execFileSync('git', git, { cwd: import.meta.dirname, stdio: 'pipe' });
    return Number.parseInt(`${commit}`.slice(0, 7), 16);
  } catch {
    return usual;
  }
}
