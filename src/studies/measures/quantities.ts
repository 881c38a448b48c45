import type { TestCounts } from './test-counts.js';

/** A quantity that a study measures in a run. */
export interface Quantity {
  readonly name: string;
  /** The heading of the quantity's column. */
  readonly title: string;
  /** Number of digits after the decimal point. */
  readonly digits: number;
  readonly about: string;
  /** Whether the quantity differs from run to run, as times do. */
  readonly varies?: boolean;
  /** Whether the quantity is a score on the test data, which a stopped run does not have. */
  readonly score?: boolean;
}

/** All quantities that a study can measure, in the default order of tables. */
export const quantities = [
  { name: 'f1', title: 'F1', digits: 2, score: true, about: 'F1 of spans on the test data, %' },
  { name: 'precision', title: 'precision', digits: 2, score: true, about: 'of spans, %' },
  { name: 'recall', title: 'recall', digits: 2, score: true, about: 'of spans, %' },
  {
    name: 'tagF1',
    title: 'F1 of tags',
    digits: 2,
    score: true,
    about: 'F1 of single tags other than O on the test data, %',
  },
  {
    name: 'accuracy',
    title: 'accuracy',
    digits: 2,
    score: true,
    about: 'tokens of the test data with the right tag, %',
  },
  {
    name: 'error',
    title: 'error',
    digits: 2,
    score: true,
    about: 'tokens of the test data with a wrong tag, %',
  },
  {
    name: 'rankLoss',
    title: 'rank loss',
    digits: 2,
    score: true,
    about:
      'mean number of tag sequences that score higher than the gold tags of a test sentence, counted up to 100',
  },
  {
    name: 'exact',
    title: 'exact',
    digits: 2,
    score: true,
    about: 'sentences of the test data whose gold tags no other tag sequence outscores, %',
  },
  {
    name: 'trainRankLoss',
    title: 'train rank loss',
    digits: 2,
    about: 'the rank loss of a sentence of the training data, by the finished weights',
  },
  {
    name: 'trainError',
    title: 'train error',
    digits: 2,
    about: 'tokens of the training data with a wrong tag, %, by the finished weights',
  },
  {
    name: 'objective',
    title: 'objective',
    digits: 2,
    about: 'losses of the training data plus penalties, of the finished weights',
  },
  {
    name: 'loss',
    title: 'loss',
    digits: 2,
    about: 'losses of the training data alone, of the finished weights',
  },
  {
    name: 'gap',
    title: 'gap',
    digits: 6,
    about:
      'duality gap of max-margin training as a share of the objective; of trainers without a dual, what their objective is above the best dual value of the column, as a share of it',
  },
  { name: 'active', title: 'active', digits: 0, about: 'weights that are not zero' },
  {
    name: 'unigram',
    title: 'unigram',
    digits: 0,
    about: 'weights of one label that are not zero: state features',
  },
  {
    name: 'bigram',
    title: 'bigram',
    digits: 0,
    about: 'weights of two labels that are not zero: transitions and edges',
  },
  {
    name: 'transitions',
    title: 'transitions',
    digits: 0,
    about: 'plain transition weights that are not zero',
  },
  {
    name: 'edges',
    title: 'edges',
    digits: 0,
    about: 'weights of transitions conditioned on an observation that are not zero',
  },
  {
    name: 'features',
    title: 'features',
    digits: 0,
    about: 'state features and edge features that have a weight that is not zero',
  },
  {
    name: 'passes',
    title: 'passes',
    digits: 0,
    about: 'passes over the training data, or iterations of a batch optimizer',
  },
  {
    name: 'evaluations',
    title: 'evaluations',
    digits: 0,
    about: 'times that the objective was evaluated; passes of an online optimizer',
  },
  { name: 'sentences', title: 'sentences', digits: 0, about: 'sentences of the training data' },
  {
    name: 'seconds',
    title: 'seconds',
    digits: 1,
    varies: true,
    about: 'time of training, without reading the data or measuring',
  },
  {
    name: 'cpu',
    title: 'CPU s',
    digits: 1,
    varies: true,
    about: 'the same as time of all processors',
  },
] as const satisfies readonly Quantity[];

export type QuantityName = (typeof quantities)[number]['name'];

/** Number of best sequences of a sentence among which a study determines the rank of the gold tags. */
export const rankLimit = 100;

/** Quantities of test data that need the ranks of the gold tags. */
export const ofRanks: readonly QuantityName[] = ['rankLoss', 'exact'];

/** Names of all quantities. */
export const quantityNames = quantities.map(({ name }) => name);

/** Returns the description of a quantity. */
export function quantityOf(name: QuantityName): Quantity {
  return quantities.find(quantity => quantity.name === name)!;
}

/** Values by quantity; null for quantities that a run does not have. */
export type Values = Partial<Record<QuantityName, number | null>>;

/** The measures of one training run. */
export interface RunMeasures {
  /** Values that are identical in every repetition. */
  readonly values: Values;
  /** Values that differ each time. */
  readonly times: Values;
  /** Its values after each pass; empty if not requested. */
  readonly course: readonly CoursePoint[];
  /** Counts for the sentences of the test data, if rows are compared. */
  readonly counts?: TestCounts | undefined;
  /** Why the training diverged; it then has no values. */
  readonly diverged?: string | undefined;
}

/** The measures after a pass. */
export interface CoursePoint {
  readonly values: Values;
  readonly times: Values;
}
