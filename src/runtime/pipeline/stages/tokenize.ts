import { defineStage } from '../definition/stage-component.js';
import { tokenizeOptions } from '../options/tokenize-options.js';

export const tokenizeStage = defineStage({
  name: 'tokenize',
  summary: 'finds tokens and sentences in text',
  example: 'tokenize: { tokenizer: unicode, locale: es }',
  takes: ['document'],
  gives: 'sentence',
  options: tokenizeOptions,
  files: ({ model, abbreviations }) => [
    ...(model === undefined
      ? []
      : [{ file: model, at: 'model', what: 'the model of the tokenizer', whole: true }]),
    ...(typeof abbreviations === 'string'
      ? [
          {
            file: abbreviations,
            at: 'abbreviations',
            what: 'the file of abbreviations',
            whole: true,
          },
        ]
      : []),
  ],
});
