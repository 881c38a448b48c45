import { tokenize } from '../../operators/tokenize.js';
import { defineStage } from '../definition/stage-component.js';
import { tokenizeOptions } from '../options/tokenize-options.js';
import { chosenTokenizer } from './chosen-tokenizer.js';

export const tokenizeStage = defineStage({
  name: 'tokenize',
  summary: 'finds tokens and sentences in text',
  example: 'tokenize: { tokenizer: unicode, locale: es }',
  takes: ['document'],
  gives: 'sentence',
  options: tokenizeOptions,
  create(chosen, setup) {
    setup.tokenizeOptions = chosen;
    setup.tokenizer = chosenTokenizer(chosen);
    return tokenize(setup.tokenizer);
  },
});
