import { afterEach } from 'vitest';
import { Random } from '../../src/engine/core/random.js';
import { readSeed } from '../house/long-forms.js';

/** What all random choices of the fault tests derive from: `TAGSTREAM_FAULTS_SEED`, 0 by default. */
export const faultsSeed = readSeed('TAGSTREAM_FAULTS_SEED', 0);

/**
 * Prints the seed of an attack now, and again when a test of the file fails, so that the failure can be replayed.
 * To be called at the top of a test file.
 */
export function printSeed(attack: string): void {
  const line = `faults: ${attack}: TAGSTREAM_FAULTS_SEED=${faultsSeed}`;
  console.log(line);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.log(`${line} replays the failure of: ${task.name}`);
  });
}

/** Random choices that derive from the seed; other numbers give other choices. */
export function randomOf(own: number): Random {
  return new Random(faultsSeed + own);
}
