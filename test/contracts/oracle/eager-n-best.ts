import type { ChainScores } from './chain-scores.js';

/**
 * The best label sequences by the plain recursion, which ranks `count` ways to each label of each token. Scores are
 * added from the first token to the last; of equally good sequences the lower label is first, at the last token
 * first.
 */
export function eagerNBest(
  { emissions, transitions }: ChainScores,
  count: number,
): { labels: number[]; score: number }[] {
  let ways = emissions[0]!.map((score, y) => [{ labels: [y], score }]);
  for (let t = 1; t < emissions.length; t += 1) {
    const before = ways;
    ways = emissions[t]!.map((emission, y) => {
      const taken = before.map(() => 0);
      const own: { labels: number[]; score: number }[] = [];
      while (own.length < count) {
        let best = Number.NEGATIVE_INFINITY;
        let bestFrom = -1;
        for (const [from, rank] of taken.entries()) {
          const way = before[from]![rank];
          if (way === undefined) continue;
          const score = way.score + transitions[t]![from]![y]!;
          if (score > best) {
            best = score;
            bestFrom = from;
          }
        }
        if (bestFrom < 0) break;
        const way = before[bestFrom]![taken[bestFrom]!]!;
        own.push({ labels: [...way.labels, y], score: best + emission });
        taken[bestFrom]! += 1;
      }
      return own;
    });
  }
  return ways
    .flat()
    .filter(({ score }) => score > Number.NEGATIVE_INFINITY)
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
}
