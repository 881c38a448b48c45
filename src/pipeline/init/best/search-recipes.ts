import { pairedBootstrap } from '../../../metrics/evaluation/paired-bootstrap.js';
import type { SentenceCounts } from '../../../metrics/evaluation/sentence-counts.js';
import type { Recipe } from '../../training/recipe.js';
import type { Candidate } from './candidates.js';

/** How well a recipe did: its score, the higher the better, and how far the folds are apart. */
export interface RecipeScore {
  readonly score: number;
  readonly deviation: number;
  /** What the trial took. */
  readonly seconds: number;
  /** Of each sentence, in the same order in each trial. */
  readonly counts: readonly SentenceCounts[];
  readonly spanScheme: boolean;
}

/** One trial: the best recipe before, with a change. */
export interface Trial {
  readonly name: string;
  /** Undefined where the time was over before it was. */
  readonly result: RecipeScore | undefined;
  /** Probability of a gain as large by chance; absent for the first trial, and where there is no result. */
  readonly pValue?: number;
  /** Whether the change is part of the recipe from here on. */
  readonly kept: boolean;
}

/** What a search has come to. */
export interface Search {
  readonly best: Recipe;
  readonly trials: readonly Trial[];
}

/** Points that a change has to gain: each costs time in training or tagging. */
const leastGain = 0.05;

/** A gain that chance brings more often than this is no gain. */
const mostChance = 0.05;

/**
 * Tries changes of a recipe one after the other, each on top of those that have gained so far, and keeps those that gain
 * more than chance would, by a paired bootstrap over the sentences of all folds. The order decides what is compared with what:
 * a trial that is cut off, and all after it, change nothing in those before.
 *
 * @param plain the recipe that changes are made to
 * @param measure the score of a recipe; undefined where there was no time for it
 * @param onTrial receives each trial when it is over
 */
export async function searchRecipes(
  plain: Recipe,
  candidates: readonly Candidate[],
  measure: (recipe: Recipe) => Promise<RecipeScore | undefined>,
  onTrial: (trial: Trial) => void = () => undefined,
): Promise<Search> {
  let best = plain;
  let before: RecipeScore | undefined;
  let inTime = true;
  const trials: Trial[] = [];
  for (const { name, change } of [{ name: 'plain', change: {} }, ...candidates]) {
    const result: RecipeScore | undefined = inTime
      ? await measure({ ...best, ...change })
      : undefined;
    inTime = result !== undefined;
    const pValue =
      result === undefined || before === undefined ? undefined : chanceOf(result, before);
    const kept =
      result !== undefined &&
      (before === undefined || (result.score >= before.score + leastGain && pValue! <= mostChance));
    if (kept) {
      best = { ...best, ...change };
      before = result;
    }
    const trial = { name, result, kept, ...(pValue === undefined ? {} : { pValue }) };
    trials.push(trial);
    onTrial(trial);
  }
  return { best, trials };
}

/** One-sided: the share of resamples in which the second is not worse. */
function chanceOf(result: RecipeScore, before: RecipeScore): number {
  const { counts, spanScheme } = result;
  const { accuracy, f1 } = pairedBootstrap(counts, before.counts, { resamples: 2000, spanScheme });
  return 1 - (f1 ?? accuracy).better;
}
