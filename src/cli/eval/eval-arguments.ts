import type { ModelFiles } from '../../runtime/io/read-model-bytes.js';
import { columnOption } from '../files/named-models.js';
import type { KernelArguments } from '../options/computing-options.js';
import type { ConstraintArguments } from '../options/decoding-options.js';
import { type ArgumentsOf, flag, text, texts, wholeNumber } from '../options/option-kinds.js';
import { tokenizerOption } from '../options/record-options.js';
import { useOption } from '../options/use-option.js';

export const evalOptions = {
  model: texts(
    'model file, or nats://NAME@ALIAS, a model of a registry; default: that of the pipeline; further models tag after it, as in tag, and are scored on the columns of the file with their names',
  ),
  column: columnOption,
  format: text(
    'ndjson, conll, conllu or letters, or conll:{columns: [form, tag], split: {every: 10, take: [9]}}; default: by extension, then that of the model',
  ),
  'from-text': flag(
    'find tokens and sentences in the text of the file too, and score tokens, sentences, words and tags as the CoNLL 2018 shared task does',
  ),
  tokenizer: tokenizerOption('that of the model'),
  ...useOption,
  json: flag('print one JSON object'),
  report: {
    choices: ['short', 'full'] as const,
    describe:
      'short: the scores; full: also tables by span and tag, confusions and calibration [default: short]',
  },
  rank: text(
    'also report the rank loss: how many of the N best tag sequences of a sentence score higher than its gold tags, with N from 1 to 1000',
    { coerce: wholeNumber('rank', 1, 1000) },
  ),
  html: text('write everything, with errors in context, as one page to this file'),
  errors: text('number of sentences with errors on the page [default: 200]', {
    implies: 'html',
    coerce: wholeNumber('errors', 0),
  }),
  train: text('the training data, to score words that are not in it'),
  against: text('another model file to compare with, with a significance test'),
  resamples: text('resamples of the bootstrap for --against [default: 10000]', {
    implies: 'against',
    coerce: wholeNumber('resamples', 1),
  }),
  seed: text('seed of the bootstrap for --against [default: 1]', {
    implies: 'against',
    coerce: wholeNumber('seed', 0),
  }),
  curve: text('a learning curve for the page, in the format of `curve --json`', {
    implies: 'html',
  }),
} as const;

/** Arguments of `eval`. */
export interface EvalArguments
  extends KernelArguments,
    ConstraintArguments,
    Omit<ArgumentsOf<typeof evalOptions>, 'model' | 'column'>,
    Partial<Omit<ModelFiles, 'file'>> {
  readonly model?: string | undefined;
  /** Path of a labelled file, or of a pipeline file, whose held-out data is used. */
  readonly gold: string;
}
