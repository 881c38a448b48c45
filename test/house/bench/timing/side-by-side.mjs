import { median } from './median.mjs';

/**
 * Seconds that each of several functions takes: medians of rounds in which all of them run once, one
 * after the other, so that what disturbs the machine disturbs them alike. One round before does not
 * count.
 *
 * @param {readonly (() => () => void)[]} preparations each makes ready, unmeasured, what is then measured
 * @param {number} runs
 * @returns {number[]}
 */
export function sideBySide(preparations, runs) {
  for (const prepare of preparations) prepare()();
  const taken = preparations.map(() => []);
  for (let round = 0; round < runs; round += 1) {
    for (const [i, prepare] of preparations.entries()) {
      const work = prepare();
      const start = performance.now();
      work();
      taken[i].push((performance.now() - start) / 1000);
    }
  }
  return taken.map(median);
}
