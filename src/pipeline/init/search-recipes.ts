import { pairedBootstrap, type SentenceCounts } from '../../metrics/evaluation/paired-bootstrap.js';
import {
  adagrad,
  averagedSgd,
  type Recipe,
  type RecipeLists,
  type Task,
} from '../training/recipe.js';

/** The result of a recipe: its score, the higher the better, and the spread of the folds. */
export interface RecipeScore {
  readonly score: number;
  readonly deviation: number;
  /** Seconds that the trial took. */
  readonly seconds: number;
  /** Counts of each sentence, in the same order in each trial. */
  readonly counts: readonly SentenceCounts[];
  readonly spanScheme: boolean;
}

/** One trial: the best recipe so far with a change. */
export interface Trial {
  readonly name: string;
  /** Undefined if time ran out before it finished. */
  readonly result: RecipeScore | undefined;
  /** Probability of a gain as large by chance; absent for the first trial, and without a result. */
  readonly pValue?: number;
  /** Whether the change is part of the recipe from here on. */
  readonly kept: boolean;
}

/** The result of a search. */
export interface Search {
  readonly best: Recipe;
  readonly trials: readonly Trial[];
}

/** Points that a change must gain: each costs time in training or tagging. */
const leastGain = 0.05;

/** Gains with a higher p-value than this do not count. */
const mostChance = 0.05;

/**
 * Tries changes of a recipe one after the other, each on top of the accepted ones, and keeps those that gain more than chance
 * would, by a paired bootstrap over the sentences of all folds. The order decides what is compared with what: an interrupted
 * trial, and all after it, do not affect earlier ones.
 *
 * @param plain the recipe to change
 * @param measure returns the score of a recipe; undefined if there was no time for it
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

/** Returns the one-sided probability: the share of resamples in which the second is not worse. */
function chanceOf(result: RecipeScore, before: RecipeScore): number {
  const { counts, spanScheme } = result;
  const { accuracy, f1 } = pairedBootstrap(counts, before.counts, { resamples: 2000, spanScheme });
  return 1 - (f1 ?? accuracy).better;
}

/** A change of the recipe that is tried. */
export interface Candidate {
  readonly name: string;
  readonly change: Partial<Recipe>;
}

/** What changes need to know about the data, and the recipe to change. */
export interface CandidateFacts {
  readonly task: Task;
  /** The tags mark spans. */
  readonly spans: boolean;
  /** Lists of names, clusters of raw text or of word vectors, and the vectors. */
  readonly lists?: RecipeLists | undefined;
  /** A pipeline file for a first model, if the records belong to documents. */
  readonly first?: string | undefined;
  readonly plain: Recipe;
}

/**
 * Returns the changes of a recipe that are worth a trial, those that gained most on public corpora first, without those
 * that it already has.
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
  // Features of words are useless if each token is a letter.
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
  // Takes seven trainings instead of one, so it comes last.
  if (spans && first !== undefined) add('first model', { first });
  return own;
}
