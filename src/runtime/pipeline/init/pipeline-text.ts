import { stringify } from 'yaml';
import type { Document } from '../../../engine/core/sentence/document.js';
import { many } from '../../../engine/core/wording/numbers.js';
import type { Recipe, Task } from '../training/recipe.js';
import type { ChosenColumn } from './choose-columns.js';
import type { ChosenFeatures } from './choose-features.js';
import type { ChosenTokenizer } from './choose-tokenizer.js';
import type { Guess } from './guess/column-look.js';

/** The contents of a new pipeline file. */
export interface PipelineDraft {
  readonly name: string;
  readonly task: Task;
  readonly guess: Guess;
  readonly features: ChosenFeatures;
  readonly recipe: Recipe;
  /** Paths as written in the file. */
  readonly trainFile: string;
  readonly testFile: string | undefined;
  /** Interval of held-out records, if there is no test file. */
  readonly heldOut: number | undefined;
  /** Number of consecutive records that are held out together. */
  readonly run: number;
  /**
   * Whether there are so many labels that a weight per label of each feature would take too much memory, and a weight
   * per label pair too much time.
   */
  readonly hasManyLabels: boolean;
  /** The tokenizer, if the file shows which one is best. */
  readonly tokenizer: ChosenTokenizer | undefined;
  /** The language of the text, if a tokenizer is learned from it. */
  readonly learned: { readonly locale: string } | undefined;
  /** Further columns that the model learns. */
  readonly columns: readonly ChosenColumn[];
  /** A short labelled record, used as an example. */
  readonly example: Document | undefined;
  readonly records: number;
}

/** Returns the text of a new pipeline file, with comments. */
export function pipelineText(draft: PipelineDraft): string {
  const { name, task, features, records, recipe } = draft;
  const hold = draft.heldOut;
  const run = draft.run === 1 ? '' : `run: ${draft.run}, `;
  const held = (which: 'take' | 'except') =>
    hold === undefined ? undefined : `split: { every: ${hold}, ${run}${which}: [${hold - 1}] }`;
  const lines = [
    '# Written by tagstream init. Train it with: tagstream train FILE, where FILE is this file.',
    'version: 1',
    `name: ${flow(name)}`,
    `description: ${flow(descriptions[task])}`,
    '',
    `# ${many(records, 'labelled record')}.`,
    `# ${recipe.why[0]!.toUpperCase()}${recipe.why.slice(1)}.`,
    ...sourceLines('source', draft, draft.trainFile, held('except')),
    '',
    'stages:',
    ...tokenizeLines(draft),
    `  # Features: ${features.comment}.`,
    '  - featurize:',
    ...[...features.yaml, ...(draft.hasManyLabels ? observedPairs : [])].map(
      line => `      ${line}`,
    ),
    '  - batch: { sentences: 1 }',
    ...lossLines(recipe),
    '  # eta0: the initial step size; l2: the penalty on large weights, to raise if test scores are far below training scores.',
    `  - optimize: ${flow(recipe.optimizer)}`,
    ...trainLines(recipe),
    ...columnLines(draft),
    '',
    '# The file of the trained model, relative to this file.',
    ...modelLines(draft),
    ...testLines(draft, held('take')),
    ...exampleLines(draft),
  ];
  return `${lines.join('\n')}\n`;
}

function tokenizeLines({ task, tokenizer, learned }: PipelineDraft): string[] {
  if (learned !== undefined) {
    return [
      '  # Learns to split raw text into tokens and sentences as in the training data; becomes part of the model file.',
      `  - tokenize: ${flow({ tokenizer: 'learned', ...learned })}`,
    ];
  }
  const about = '  # Splits raw text into tokens; records with tokens keep them.';
  if (task === 'letters') {
    return [about, '  - tokenize: { tokenizer: characters, sentences: false }'];
  }
  if (tokenizer === undefined) return [about, '  - tokenize: {}'];
  const { name, figures, isDefault } = tokenizer;
  return [
    about,
    `  # ${name}: ${figures}.`,
    `  - tokenize: ${isDefault ? '{}' : `{ tokenizer: ${name} }`}`,
  ];
}

function columnLines({ columns }: PipelineDraft): string[] {
  if (columns.length === 0) return [];
  return [
    '',
    '# Further columns of the data, learned one after the other; each sees the predictions of those before it.',
    'columns:',
    ...columns.map(({ name, options }) => `  ${name}: ${flow(options)}`),
  ];
}

function lossLines({ cost, missCost }: Recipe): string[] {
  if (cost === undefined) return ['  - contribute: { loss: log }'];
  const miss = missCost === undefined ? {} : { missCost };
  return [
    '  # cost: the margin between the right label and wrong ones; missCost: the same where a span is missed.',
    `  - contribute: ${flow({ loss: 'softmax-margin', cost, ...miss })}`,
  ];
}

function trainLines({ epochs, seeds, dropout, temperature }: Recipe): string[] {
  const own = { seeds, dropout, temperature };
  const used = Object.entries(own).filter(([, value]) => value !== undefined);
  const about = {
    seeds: 'seeds: the model is the mean of this many trainings.',
    dropout: 'dropout: the share of features that each step leaves out.',
    temperature: 'temperature: divides the weights, because probabilities would be overconfident.',
  };
  return [
    '# compact: rounds weights, for a file of about a tenth of the size.',
    ...used.map(([name]) => `# ${about[name as keyof typeof own]}`),
    `train: ${flow({ epochs, seed: 1, ...Object.fromEntries(used), compact: true })}`,
  ];
}

const observedPairs = [
  '# Many labels: weights only for pairs of feature and label that occur in training.',
  'support: observed',
  'compressed: true',
];

function modelLines({ name, hasManyLabels }: PipelineDraft): string[] {
  const file = `${name}.model`;
  if (!hasManyLabels) return [`model: ${flow(file)}`];
  return [
    '# prune: considers only the most likely labels of each token.',
    `model: ${flow({ file, prune: {} })}`,
  ];
}

function testLines(draft: PipelineDraft, split: string | undefined): string[] {
  const { testFile, trainFile, heldOut } = draft;
  if (testFile === undefined && heldOut === undefined) {
    return [
      '',
      '# Too few records to hold some out. To score the model, name labelled files here, as in source.',
      '# test: ...',
    ];
  }
  const what =
    testFile === undefined
      ? `One ${draft.run === 1 ? 'record' : `run of ${draft.run} records`} in ${heldOut} is held out of training, to score the model on.`
      : 'Data to score the finished model on.';
  return ['', `# ${what}`, ...sourceLines('test', draft, testFile ?? trainFile, split)];
}

const descriptions: Readonly<Record<Task, string>> = {
  pos: 'A label for each token, such as a part of speech.',
  chunk: 'Chunks of sentences, such as noun and verb phrases.',
  ner: 'Named entities, or other spans.',
  letters: 'A label for each letter, such as its phoneme.',
};

function sourceLines(
  key: string,
  { guess }: Pick<PipelineDraft, 'guess'>,
  file: string,
  split: string | undefined,
): string[] {
  const options = Object.entries(guess.options).map(
    ([option, value]) => `    ${option}: ${flow(value)}`,
  );
  const files = `    files: [${JSON.stringify(file)}]`;
  return [
    `${key}:`,
    `  ${guess.format}:`,
    files,
    ...options,
    ...(split === undefined ? [] : [`    ${split}`]),
  ];
}

/** Formats a value on one line of YAML, without spaces inside the brackets of lists. */
function flow(value: unknown): string {
  const flowCollectionPadding = !Array.isArray(value);
  const style = { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding } as const;
  return stringify(value, style).trim();
}

/** Returns a check of the trained model as a comment, because the user decides what has to be right. */
function exampleLines({ example, features }: PipelineDraft): string[] {
  if (example === undefined) return [];
  const used = Object.entries(example.columns ?? {}).filter(([name]) =>
    features.columns.includes(name),
  );
  const columns = used.length === 0 ? [] : [`#     columns: ${flow(Object.fromEntries(used))}`];
  return [
    '',
    '# What the trained model must get right. Remove the number signs to run it with tagstream test.',
    '# checks:',
    `#   - tokens: ${flow(example.tokens)}`,
    ...columns,
    `#     tags: ${flow(example.tags)}`,
  ];
}
