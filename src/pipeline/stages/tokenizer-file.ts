import { readBytes } from '../../io/reading/read-bytes.js';
import { readLearnedTokenizer } from '../../models/files/model-file.js';
import type { ModelTokenizer } from '../../models/model.js';
import type { TokenizeOptions } from '../../operators/tokenize.js';
import { isToBeLearned, type TokenizeStageOptions } from '../options/tokenize-options.js';
import { chosenTokenizer, trainingTokenizer } from './chosen-tokenizer.js';

/**
 * The tokenizer of a model file, which needs not be the file of the model that tags.
 *
 * @throws TagstreamError `file`, `config` where it has none, `model-format`, `model-version`, `model-damaged`
 */
export function tokenizerInFile(file: string): ModelTokenizer {
  return readLearnedTokenizer(readBytes(file), file);
}

/**
 * `trainingTokenizer` of options that may name a file.
 *
 * @throws TagstreamError as `tokenizerInFile`
 */
export function pipelineTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  return trainingTokenizer(chosen, inFile(chosen));
}

/**
 * How to divide texts without training or tagging, by options that may name a file.
 *
 * @throws TagstreamError as `tokenizerInFile`
 */
export function divisionTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  return chosenTokenizer(chosen, inFile(chosen));
}

/**
 * How texts are divided that are read before a tokenizer is learned, as names of lists: by the default one then.
 *
 * @throws TagstreamError as `tokenizerInFile`
 */
export function listTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  return isToBeLearned(chosen) ? {} : divisionTokenizer(chosen);
}

function inFile(chosen: TokenizeStageOptions | undefined) {
  const file = chosen?.model;
  return file === undefined ? undefined : tokenizerInFile(file).tokenizer;
}
