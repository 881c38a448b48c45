import type { FeatureColumn, Task } from './guess.js';
import { templates } from './templates.js';

/** The stage `featurize` of a new pipeline, and what there is to say of it. */
export interface ChosenFeatures {
  /** Lines of YAML after `featurize:`, without indentation. */
  readonly yaml: readonly string[];
  readonly comment: string;
  /** Columns beside the tokens that the features need. */
  readonly columns: readonly string[];
}

const comments: Readonly<Record<Task, string>> = {
  pos: 'words and what they look like, in a window of two',
  chunk: 'words and parts of speech, in a window of two',
  ner: 'words and what they look like, in a window of two',
  letters: 'letters around a letter, up to five in a row, and what follows what at them',
};

/**
 * The features for a task, of the tokens and of the columns that there are.
 *
 * @example
 * chooseFeatures('chunk', [{ name: 'pos', holds: 'pos' }]).columns // => ['pos']
 */
export function chooseFeatures(task: Task, columns: readonly FeatureColumn[]): ChosenFeatures {
  const lines = templates(task, columns);
  const used = columns
    .map(({ name }) => name)
    .filter(name => lines.some(line => line.includes(`,${name}]`)));
  // Without parts of speech chunks are found by what words look like.
  const plain = comments[task === 'chunk' && used.length === 0 ? 'pos' : task];
  return {
    yaml: ['templates:', ...lines.map(line => `  - ${JSON.stringify(line)}`)],
    comment: [plain, ...(task === 'chunk' ? [] : used)].join(', and '),
    columns: used,
  };
}
