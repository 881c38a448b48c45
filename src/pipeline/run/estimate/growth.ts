/** By which features of words usually grow. */
const usualPower = 0.75;

/**
 * What is counted in a larger part of a corpus, by what was counted in a half of a sample and in all of it: different
 * things grow by a power of the size. Where nothing was counted in the half, it is that of features of words.
 *
 * @param half what was counted in half of the sample
 * @param all what was counted in all of it
 * @param times how many times as large as the sample is what it is foreseen for
 * @example
 * grownBy(100, 200, 4) // => 800
 * grownBy(8, 8, 100) // => 8
 */
export function grownBy(half: number, all: number, times: number): number {
  if (times <= 1) return all;
  const power = half === 0 ? usualPower : Math.min(1, Math.max(0, Math.log2(all / half)));
  return Math.round(all * times ** power);
}
