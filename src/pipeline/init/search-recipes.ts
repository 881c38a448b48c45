import { pairedBootstrap, type SentenceCounts } from '../../metrics/evaluation/paired-bootstrap.js';
import {
  adagrad,
  averagedSgd,
  type Recipe,
  type RecipeLists,
  type Task,
} from '../training/recipe.js';

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

/** Gains with a higher p-value than this do not count. */
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

/** A change of the recipe that is tried. */
export interface Candidate {
  readonly name: string;
  readonly change: Partial<Recipe>;
}

/** What the data have that a change needs, and the recipe that it changes. */
export interface CandidateFacts {
  readonly task: Task;
  /** The tags mark spans. */
  readonly spans: boolean;
  /** Lists of names, clusters of raw text or of word vectors, and the vectors. */
  readonly lists?: RecipeLists | undefined;
  /** A pipeline file for a first model, where the records are of documents. */
  readonly first?: string | undefined;
  readonly plain: Recipe;
}

/**
 * The changes of a recipe that are worth a trial, those that gained most on public corpora first; none that it has already.
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
  // What a word is says nothing where each token is a letter.
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
