/** The purpose of a tagger, which determines its features. */
export type Task = (typeof tasks)[number];

export const tasks = ['pos', 'chunk', 'ner', 'letters'] as const;

/** How a tagger is trained: its features, loss, optimizer and passes. Absent parts are not used. */
export interface Recipe {
  /** The reason for choosing it, as part of a sentence. */
  readonly why: string;
  /** Predefined templates. Letters have their own. */
  readonly preset?:
    | 'pos'
    | 'chunk'
    | 'ner'
    | 'chunk-small'
    | 'ner-small'
    | 'ner-medium'
    | undefined;
  /** Whether ends of spans and single-token spans have their own labels. */
  readonly encode?: 'bioes' | undefined;
  /** Features from the labels that a word and its neighbours had in training: `%seen`; `wide` looks two words away. */
  readonly seen?: 'near' | 'wide' | undefined;
  /** Whether to use earlier forms of a word in the document, and its neighbours there: `%document`. */
  readonly document?: boolean | undefined;
  /** Files with lists of names, by name, as in the pipeline file. */
  readonly gazetteers?: Readonly<Record<string, ListFile>> | undefined;
  /** Files of word clusters, by name, as in the pipeline file. */
  readonly clusters?: Readonly<Record<string, ListFile>> | undefined;
  /** Files or packages of word vectors, by name. */
  readonly vectors?: Readonly<Record<string, ListFile>> | undefined;
  /** Path of a first model's pipeline file, as in this pipeline file. */
  readonly first?: string | undefined;
  /** The cost of a wrong token in the loss softmax-margin, which replaces log. */
  readonly cost?: number | undefined;
  /** The cost of a wrong token inside a span, if it differs. */
  readonly missCost?: number | undefined;
  readonly optimizer: RecipeOptimizer;
  readonly epochs: number;
  /** Number of training runs whose weights are averaged. */
  readonly seeds?: number | undefined;
  /** The share of features that are dropped in each training step. */
  readonly dropout?: number | undefined;
  /** Divisor of the weights after training, for calibrated probabilities. */
  readonly temperature?: number | undefined;
}

/** A recipe's lists, which other people have collected. */
export type RecipeLists = Pick<Recipe, 'gazetteers' | 'clusters' | 'vectors'>;

/** A file of words, and how words are looked up. */
export interface ListFile {
  readonly file: string;
  /** Whether its words are in lower case. */
  readonly fold?: boolean;
  /** How paths are cut: `none` for clusters whose paths do not contain coarser clusters. */
  readonly bits?: 'none';
}

export type RecipeOptimizer =
  | { readonly adagrad: { readonly eta0: number; readonly l2: number } }
  | {
      readonly sgd: {
        readonly eta0: number;
        readonly l2: number;
        readonly schedule?: 'inverse';
        readonly average: true;
      };
    };

/** The training data that a recipe is for. */
export interface RecipeData {
  readonly records: number;
  readonly tokens: number;
  /** Whether there are too many labels for one weight each. */
  readonly manyLabels?: boolean;
  /** Whether the model continues to learn from single records, without a whole corpus. */
  readonly stream?: boolean;
}

/** Small steps for frequent features, large ones for rare features: best if every sentence matters. */
export const adagrad: RecipeOptimizer = { adagrad: { eta0: 0.2, l2: 0.05 } };

/** Steps that decrease over the passes, and averaged weights: best for large data. */
export const averagedSgd = (l2: number): RecipeOptimizer => ({
  sgd: { eta0: 0.1, l2, schedule: 'inverse', average: true },
});

/** Maximum number of tokens for averaging three training runs: with more, they take minutes. */
const tokensForSeeds = 400_000;

/**
 * Returns the best known recipe for a task, given the size of the training data; `npm run bench -- --only defaults`
 * measures it.
 *
 * @example
 * recipeFor('ner', { records: 50, tokens: 900 }).preset // => 'ner-small'
 * recipeFor('ner', { records: 8000, tokens: 200000 }).epochs // => 12
 */
export function recipeFor(task: Task, data: RecipeData): Recipe {
  if (task === 'letters' || data.manyLabels === true) return fastRecipe(task, data);
  const recipe = { pos: posRecipe, chunk: chunkRecipe, ner: nerRecipe }[task](data);
  if (data.stream !== true) return recipe;
  const { seen: _, document: __, encode: ___, seeds: ____, ...plain } = recipe;
  return { ...plain, optimizer: adagrad, epochs: Math.min(15, plain.epochs) };
}

function posRecipe({ records, tokens }: RecipeData): Recipe {
  const small = { preset: 'pos', temperature: 1.25, optimizer: adagrad, epochs: 15 } as const;
  if (records < 100) return { why: 'few records: larger steps for rare features', ...small };
  if (records < 2000) {
    return {
      why: 'fewer than 2,000 records: larger steps for rare features',
      ...small,
      seen: 'near',
    };
  }
  return {
    why: 'many records: word statistics of the corpus, and dropout',
    ...{ preset: 'pos', seen: 'wide', dropout: 0.2, temperature: 1.25 },
    ...{ optimizer: averagedSgd(0.4), epochs: passes(tokens, 20) },
  };
}

function chunkRecipe({ records, tokens }: RecipeData): Recipe {
  if (records < 300) {
    return {
      why: 'fewer than 300 records: few features, a margin, and larger steps for rare features',
      ...{ preset: 'chunk-small', cost: 1, temperature: 1.25, optimizer: adagrad, epochs: 15 },
    };
  }
  return {
    why: `many records: all features and a margin${seedsReason(tokens)}`,
    ...{ preset: 'chunk', encode: 'bioes', cost: 1, dropout: 0.2, temperature: 1.25 },
    ...{ optimizer: averagedSgd(0.2), epochs: passes(tokens, 16), ...seedsFor(tokens) },
  };
}

function nerRecipe({ records, tokens }: RecipeData): Recipe {
  const margin = {
    cost: 1,
    missCost: 3,
    temperature: 1.75,
    optimizer: adagrad,
    epochs: 15,
  } as const;
  if (records < 100) {
    const why =
      'fewer than 100 records: few features, and a margin loss that penalizes missed spans';
    return { why, preset: 'ner-small', ...margin };
  }
  const context = { seen: 'near', document: true } as const;
  if (records < 2500) {
    const why =
      'fewer than 2,500 records: some features, the document, a margin loss that penalizes missed spans';
    const encode = records < 1000 ? {} : ({ encode: 'bioes' } as const);
    return { why, preset: 'ner-medium', ...encode, ...context, ...margin };
  }
  return {
    why: `many records: all features, the document and a margin${seedsReason(tokens)}`,
    ...{ preset: 'ner', encode: 'bioes', ...context, cost: 3, temperature: 2.5 },
    ...{ optimizer: averagedSgd(0.2), epochs: passes(tokens, 12), ...seedsFor(tokens) },
  };
}

/** Returns the number of passes over large data: fewer, because each has more steps. */
function passes(tokens: number, most: number): number {
  return Math.max(5, Math.min(most, Math.round((most * 600_000) / Math.max(1, tokens))));
}

function seedsReason(tokens: number): string {
  return tokens <= tokensForSeeds ? ', and the mean of three trainings' : '';
}

function seedsFor(tokens: number): { seeds?: number } {
  return tokens <= tokensForSeeds ? { seeds: 3 } : {};
}

/** Number of sentences in all passes together that suffices for a larger corpus. */
const visits = 120_000;

/**
 * Returns a recipe that trains in a fraction of the time: stochastic gradient descent with the task's preset.
 *
 * @example
 * fastRecipe('ner', { records: 8000, tokens: 200000 }).optimizer // => ({ sgd: { eta0: 0.1, l2: 0.2, average: true } })
 */
export function fastRecipe(task: Task, { records }: RecipeData): Recipe {
  const epochs = Math.max(5, Math.min(30, Math.round(visits / Math.max(1, records))));
  const letters = task === 'letters';
  const l2 = records < 2500 ? 0.05 : letters ? 0.5 : 0.2;
  const optimizer = { sgd: { eta0: letters ? 0.2 : 0.1, l2, average: true } } as const;
  const why = 'fast training: stochastic gradient descent, averaged';
  return { why, ...(letters ? {} : { preset: task }), optimizer, epochs };
}

const near = [
  'US0:%seen[0,0]',
  'US1:%seen[-1,0]',
  'US2:%seen[1,0]',
  'US3:%seen[-1,0]/%seen[0,0]',
  'US4:%seen[0,0]/%seen[1,0]',
];

const wide = [
  ...near,
  'US5:%seen[-1,0]/%seen[1,0]',
  'US6:%seen[-1,0]/%seen[0,0]/%seen[1,0]',
  'US7:%seen[-2,0]/%seen[-1,0]',
  'US8:%seen[1,0]/%seen[2,0]',
  'US9:%seen[-2,0]',
  'US10:%seen[2,0]',
  'US11:%lower[0,0]/%seen[-1,0]',
  'US12:%lower[0,0]/%seen[1,0]',
];

const document = [
  'UD0:%document[0,0,case]',
  'UD1:%document[0,0,case]/%type[0,0]',
  'UD2:%document[0,0,case]/%first[0,0]',
  'UDL:%document[0,0,left]',
  'UDL:%document[0,0,left2]',
  'UDR:%document[0,0,right]',
  'UDR:%document[0,0,right2]',
];

/** Returns the templates that a recipe adds to those of its preset. */
export function recipeTemplates(recipe: Recipe): string[] {
  const seen = { near, wide, none: [] }[recipe.seen ?? 'none'];
  return [...seen, ...(recipe.document === true ? document : [])];
}

/** Features of letters: those around a letter, up to five in a row, and pairs of consecutive tags at a letter. */
export const letterTemplates: readonly string[] = [
  'U00:%x[0,0]',
  'U01:%x[-1,0]',
  'U02:%x[1,0]',
  'U03:%x[-2,0]',
  'U04:%x[2,0]',
  'U10:%x[-1,0]/%x[0,0]',
  'U11:%x[0,0]/%x[1,0]',
  'U20:%x[-1,0]/%x[0,0]/%x[1,0]',
  'U21:%x[-2,0]/%x[-1,0]/%x[0,0]',
  'U22:%x[0,0]/%x[1,0]/%x[2,0]',
  'U30:%x[-2,0]/%x[-1,0]/%x[0,0]/%x[1,0]',
  'U31:%x[-1,0]/%x[0,0]/%x[1,0]/%x[2,0]',
  'U32:%x[0,0]/%x[1,0]/%x[2,0]/%x[3,0]',
  'U33:%x[-3,0]/%x[-2,0]/%x[-1,0]/%x[0,0]',
  'U40:%x[-2,0]/%x[-1,0]/%x[0,0]/%x[1,0]/%x[2,0]',
  'U41:%x[-1,0]/%x[0,0]/%x[1,0]/%x[2,0]/%x[3,0]',
  'U42:%x[-3,0]/%x[-2,0]/%x[-1,0]/%x[0,0]/%x[1,0]',
  'U43:%x[0,0]/%x[1,0]/%x[2,0]/%x[3,0]/%x[4,0]',
  'U44:%x[-4,0]/%x[-3,0]/%x[-2,0]/%x[-1,0]/%x[0,0]',
  'B',
  'B00:%x[0,0]',
];
