/**
 * The rounds, of `rounds` in all, that something takes part in which is to run `runs` times: spread
 * evenly over them.
 *
 * @param {number} runs at most `rounds`
 * @param {number} rounds
 * @returns {number[]}
 */
export function roundsOf(runs, rounds) {
  return Array.from({ length: rounds }, (_, round) => round).filter(
    round => Math.floor(((round + 1) * runs) / rounds) > Math.floor((round * runs) / rounds),
  );
}
