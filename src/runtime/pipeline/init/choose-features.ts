import {
  type ListFile,
  letterTemplates,
  type Recipe,
  recipeTemplates,
  type Task,
} from '../training/recipe.js';
import type { FeatureColumn } from './guess/column-look.js';

/** The stage `featurize` of a new pipeline, with remarks on it. */
export interface ChosenFeatures {
  /** Lines of YAML after `featurize:`, not indented. */
  readonly yaml: readonly string[];
  readonly comment: string;
  /** Columns other than the tokens that the features need. */
  readonly columns: readonly string[];
}

const comments: Readonly<Record<Task, string>> = {
  pos: 'words, their beginnings and ends, and what they look like',
  chunk: 'words and what they look like',
  ner: 'words, the words around them, and what they look like',
  letters: 'letters around a letter, up to five in a row, and what follows what at them',
};

/** Names under which presets know a column of parts of speech. */
const partsOfSpeech: readonly string[] = ['pos', 'upos', 'xpos'];

/**
 * Chooses the features for a task, from the tokens and the available columns: a preset, and templates for the phrases
 * around a name.
 *
 * @example
 * const recipe = { preset: 'ner', optimizer: { adagrad: { eta0: 0.2, l2: 0.05 } }, epochs: 15 };
 * chooseFeatures('ner', [], recipe).yaml // => ['preset: ner', 'columns: [form]']
 */
export function chooseFeatures(
  task: Task,
  columns: readonly FeatureColumn[],
  recipe: Recipe,
): ChosenFeatures {
  const comment = comments[task];
  if (task === 'letters') {
    return { yaml: ['templates:', ...listed(letterTemplates)], comment, columns: [] };
  }
  const isPos = ({ name, holds }: FeatureColumn) => holds === 'pos' && partsOfSpeech.includes(name);
  const usesPos = recipe.preset !== 'pos' && recipe.preset?.startsWith('ner-') !== true;
  const pos = usesPos ? columns.find(isPos)?.name : undefined;
  const chunk = columns.find(({ holds }) => holds === 'chunk')?.name;
  const phrases = recipe.preset === 'ner' && chunk !== undefined ? phraseTemplates(chunk, pos) : [];
  const lines = [...phrases, ...recipeTemplates(recipe)];
  const { encode, gazetteers, clusters, vectors, first } = recipe;
  const used = [pos, phrases.length > 0 ? chunk : undefined].filter(name => name !== undefined);
  return {
    yaml: [
      `preset: ${recipe.preset}`,
      ...(lines.length > 0 ? ['templates:', ...listed(lines)] : []),
      ...(encode === undefined ? [] : [`encode: ${encode}`]),
      ...listLines('gazetteers', gazetteers),
      ...listLines('clusters', clusters),
      ...listLines('vectors', vectors),
      ...(first === undefined
        ? []
        : [
            '# The tags that this first model gives in the whole document.',
            `from: ${JSON.stringify(first)}`,
          ]),
      `columns: [${['form', ...used].join(', ')}]`,
    ],
    comment: [comment, ...used].join(', and '),
    columns: used,
  };
}

/** Returns templates for the phrases around a token. */
function phraseTemplates(chunk: string, pos: string | undefined): string[] {
  const phrases = [-1, 0, 1].map((offset, i) => `U9${i}:%x[${offset},${chunk}]`);
  return pos === undefined ? phrases : [...phrases, `U93:%x[0,${pos}]/%x[0,${chunk}]`];
}

function listed(lines: readonly string[]): string[] {
  return lines.map(line => `  - ${JSON.stringify(line)}`);
}

/** Returns the lines of an option with word lists, one line per list. */
function listLines(option: string, lists: Readonly<Record<string, ListFile>> = {}): string[] {
  const lines = Object.entries(lists).map(([name, { file, ...how }]) => {
    const options = Object.entries(how).map(([key, value]) => `, ${key}: ${value}`);
    return `  ${name}: { file: ${JSON.stringify(file)}${options.join('')} }`;
  });
  return lines.length === 0 ? [] : [`${option}:`, ...lines];
}
