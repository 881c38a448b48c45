import type { Candidate, Recipe } from './recipe.js';

/** How well a recipe did: its score, the higher the better, and how far the folds are apart. */
export interface RecipeScore {
  readonly score: number;
  readonly deviation: number;
  /** What the trial took. */
  readonly seconds: number;
}

/** One trial: the best recipe before, with a change. */
export interface Trial {
  readonly name: string;
  /** Undefined where the time was over before it was. */
  readonly result: RecipeScore | undefined;
  /** Whether the change is part of the recipe from here on. */
  readonly kept: boolean;
}

/** What a search has come to. */
export interface Search {
  readonly best: Recipe;
  readonly trials: readonly Trial[];
}

/** Points that a change has to gain: less is chance, and each change costs time in training or tagging. */
const leastGain = 0.05;

/**
 * Tries changes of a plain recipe one after the other, each on top of those that have gained so far, and keeps
 * those that gain. The order decides what is compared with what: a trial that is cut off, and all after it, change
 * nothing in those before.
 *
 * @param measure the score of a recipe; undefined where there was no time for it
 * @param onTrial receives each trial when it is over
 */
export async function searchRecipes(
  candidates: readonly Candidate[],
  measure: (recipe: Recipe) => Promise<RecipeScore | undefined>,
  onTrial: (trial: Trial) => void = () => undefined,
): Promise<Search> {
  let best: Recipe = {};
  let before: RecipeScore | undefined;
  let inTime = true;
  const trials: Trial[] = [];
  for (const { name, change } of [{ name: 'plain', change: {} }, ...candidates]) {
    const result: RecipeScore | undefined = inTime
      ? await measure({ ...best, ...change })
      : undefined;
    inTime = result !== undefined;
    const least = before === undefined ? Number.NEGATIVE_INFINITY : before.score + leastGain;
    const kept = result !== undefined && result.score >= least;
    if (kept) {
      best = { ...best, ...change };
      before = result;
    }
    const trial = { name, result, kept };
    trials.push(trial);
    onTrial(trial);
  }
  return { best, trials };
}
