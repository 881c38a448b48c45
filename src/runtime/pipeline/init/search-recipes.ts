import type { Figure } from '../../../engine/core/figures.js';
import {
  pairedBootstrap,
  type SentenceCounts,
} from '../../../engine/metrics/evaluation/paired-bootstrap.js';
import {
  adagrad,
  averagedSgd,
  type Recipe,
  type RecipeLists,
  type Task,
} from '../training/recipe.js';

/** The result of a recipe: its score (higher is better), and the spread over the folds. */
export interface RecipeScore {
  readonly score: number;
  readonly deviation: Figure;
  /** Duration of the trial in seconds. */
  readonly seconds: number;
  /** Counts for each sentence, in the same order in each trial. */
  readonly counts: readonly SentenceCounts[];
  readonly spanScheme: boolean;
}

/** One trial: the best recipe so far, with one change. */
export interface Trial {
  readonly name: string;
  /** The result; undefined if time ran out before the trial finished. */
  readonly result: RecipeScore | undefined;
  /** Probability of at least this gain by chance; absent for the first trial, and without a result. */
  readonly pValue?: number;
  /** Whether the change is part of the recipe from here on. */
  readonly kept: boolean;
}

/** The result of a search. */
export interface Search {
  readonly best: Recipe;
  readonly trials: readonly Trial[];
}

/** Minimum gain of a change in points: each change costs time in training or tagging. */
const leastGain = 0.05;

/** Maximum p-value of a gain that counts. */
const mostChance = 0.05;

/**
 * Tries changes of a recipe one after the other, each on top of the accepted ones, and keeps those with a significant
 * gain in a paired bootstrap over the sentences of all folds. The order determines which recipes are compared: an
 * interrupted trial, and all trials after it, do not affect earlier ones.
 *
 * @param plain the recipe to change
 * @param measure returns the score of a recipe; undefined if there was no time for it
 * @param onTrial receives each finished trial
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

/** Returns the one-sided p-value: the share of resamples in which the first recipe is not better. */
function chanceOf(result: RecipeScore, before: RecipeScore): number {
  const { counts, spanScheme } = result;
  const { accuracy, f1 } = pairedBootstrap(counts, before.counts, { resamples: 2000, spanScheme });
  const { better } = f1 ?? accuracy;
  return better === null ? 1 : 1 - better;
}

/** A change of the recipe to try. */
export interface Candidate {
  readonly name: string;
  readonly change: Partial<Recipe>;
}

/** The facts about the data on which changes depend, with the recipe to change. */
export interface CandidateFacts {
  readonly task: Task;
  /** Whether the tags mark spans. */
  readonly spans: boolean;
  /** Lists of names, clusters from raw text or from word vectors, and the vectors. */
  readonly lists?: RecipeLists | undefined;
  /** A pipeline file for a first model, if the records belong to documents. */
  readonly first?: string | undefined;
  readonly plain: Recipe;
}

/**
 * Returns the changes of a recipe that are worth a trial, except those that it already has; changes that gained most on
 * public corpora come first.
 *
 * @example
 * const plain = { why: '', preset: 'pos', optimizer: { adagrad: { eta0: 0.2, l2: 0.05 } }, epochs: 15 };
 * const names = candidatesFor({ task: 'pos', spans: false, plain }).map(({ name }) => name);
 * names // => ['seen', 'sgd', 'dropout']
 */
export function candidatesFor(facts: CandidateFacts): Candidate[] {
  const { task, spans, lists, first, plain } = facts;
  const own: Candidate[] = [];
  const add = (name: string, change: Candidate['change']) => {
    const changes = Object.entries(change).some(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(plain[key as keyof Recipe]),
    );
    if (changes) own.push({ name, change });
  };
  // Word features are useless if each token is a letter.
  const isWords = task !== 'letters';
  const isPlainSize = plain.preset === task;
  if (lists?.gazetteers !== undefined && isWords) add('lists', { gazetteers: lists.gazetteers });
  if (lists?.clusters !== undefined && isWords) add('clusters', { clusters: lists.clusters });
  if (lists?.vectors !== undefined && isWords) add('vectors', { vectors: lists.vectors });
  if (task === 'ner') {
    if (plain.preset !== 'ner-small') add('few features', { preset: 'ner-small' });
    if (plain.preset !== 'ner-medium') add('medium features', { preset: 'ner-medium' });
  }
  if (task === 'chunk' && isPlainSize) add('few features', { preset: 'chunk-small' });
  if (isWords && !isPlainSize) add('all features', { preset: task });
  if (isWords && plain.seen === undefined) add('seen', { seen: 'near' });
  if (task === 'ner') add('document', { document: true });
  if (spans) {
    add('bioes', { encode: 'bioes' });
    add('margin, cost 1', { cost: 1, missCost: undefined });
    add('margin, cost 3', { cost: 3, missCost: undefined, temperature: 2.5 });
    add('margin, missed spans 3', { cost: 1, missCost: 3 });
  }
  if (isWords) {
    if ('sgd' in plain.optimizer) add('adagrad', { optimizer: adagrad });
    else add('sgd', { optimizer: averagedSgd(0.2) });
  }
  if (plain.dropout === undefined) add('dropout', { dropout: 0.1 });
  // Last, because it takes seven trainings instead of one.
  if (spans && first !== undefined) add('first model', { first });
  return own;
}
