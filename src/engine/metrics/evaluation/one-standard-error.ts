/** A setting scored on several folds. */
export interface ScoredSetting {
  /** Penalties, compared in order; stronger penalties make a model simpler. */
  readonly penalties: readonly number[];
  /** Scores by fold; higher is better. */
  readonly scores: readonly number[];
}

/** A choice by the one-standard-error rule, as indices of settings. */
export interface StandardErrorChoice {
  /** The setting with the best mean; ties go to the strongest penalties. */
  readonly best: number;
  /** The setting with the strongest penalties whose mean is at least `least`. */
  readonly chosen: number;
  /** The best mean minus its standard error. */
  readonly least: number;
}

/**
 * Applies the one-standard-error rule: chooses the simplest setting that the folds cannot distinguish from the best
 * one. With m a setting's mean over K folds and s its sample standard deviation,
 *
 *     best = argmax m,    chosen = the strongest with m >= m_best - s_best / sqrt(K)
 *
 * Breiman, Friedman, Olshen and Stone (1984), section 3.4.3. The strongest is the one with the largest first penalty, then the
 * largest second.
 *
 * @param settings at least one, all with the same number of scores
 * @example
 * const settings = [{ penalties: [0], scores: [90, 94] }, { penalties: [1], scores: [91, 91] }, { penalties: [2], scores: [80, 80] }];
 * oneStandardError(settings) // => { best: 0, chosen: 1, least: 90 }
 */
export function oneStandardError(settings: readonly ScoredSetting[]): StandardErrorChoice {
  const means = settings.map(({ scores }) => meanOf(scores));
  const strongest = (among: (setting: number) => boolean) =>
    settings.reduce(
      (chosen, { penalties }, i) =>
        among(i) && (chosen < 0 || isStronger(penalties, settings[chosen]!.penalties)) ? i : chosen,
      -1,
    );
  const most = Math.max(...means);
  const best = strongest(i => means[i] === most);
  const least = most - standardErrorOf(settings[best]!.scores);
  return { best, chosen: strongest(i => means[i]! >= least), least };
}

/**
 * Returns the standard error of a mean: the sample standard deviation divided by the square root of the
 * number of scores; 0 for a single score.
 *
 * @example
 * standardErrorOf([1, 3]) // => 1
 */
export function standardErrorOf(scores: readonly number[]): number {
  if (scores.length < 2) return 0;
  const mean = meanOf(scores);
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  return Math.sqrt(squares / (scores.length - 1) / scores.length);
}

function meanOf(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function isStronger(a: readonly number[], b: readonly number[]): boolean {
  const differs = a.findIndex((penalty, i) => penalty !== b[i]);
  return differs >= 0 && a[differs]! > b[differs]!;
}
