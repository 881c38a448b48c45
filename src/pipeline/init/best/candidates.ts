import {
  adagrad,
  averagedSgd,
  type Recipe,
  type RecipeLists,
  type Task,
} from '../../training/recipe.js';

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
  // Seven trainings in place of one, so that it comes last.
  if (spans && first !== undefined) add('first model', { first });
  return own;
}
