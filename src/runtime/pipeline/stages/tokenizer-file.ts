import { readLearnedTokenizer } from '../../../engine/models/files/model-file.js';
import type { ModelTokenizer } from '../../../engine/models/model.js';
import type { TokenizeOptions } from '../../../engine/operators/tokenize.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { isToBeLearned, type TokenizeStageOptions } from '../options/tokenize-options.js';
import { chosenTokenizer, trainingTokenizer } from './chosen-tokenizer.js';

/**
 * Reads the tokenizer of a model file, which need not be the tagging model.
 *
 * @throws TagstreamError `file`, `config` if it has none, `model-format`, `model-version`, `model-damaged`
 */
export function tokenizerInFile(file: string): ModelTokenizer {
  return readLearnedTokenizer(readBytes(file), file);
}

/**
 * Applies `trainingTokenizer` to options that may name a file.
 *
 * @throws TagstreamError like `tokenizerInFile`
 */
export function pipelineTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  return trainingTokenizer(chosen, inFile(chosen));
}

/**
 * Returns how to divide texts without training or tagging, from options that may name a file.
 *
 * @throws TagstreamError like `tokenizerInFile`
 */
export function divisionTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  return chosenTokenizer(chosen, inFile(chosen));
}

/**
 * Returns the tokenization of texts read before a tokenizer is learned, such as names in lists: the default one.
 *
 * @throws TagstreamError like `tokenizerInFile`
 */
export function listTokenizer(chosen: TokenizeStageOptions | undefined): TokenizeOptions {
  return isToBeLearned(chosen) ? {} : divisionTokenizer(chosen);
}

function inFile(chosen: TokenizeStageOptions | undefined) {
  const file = chosen?.model;
  return file === undefined ? undefined : tokenizerInFile(file).tokenizer;
}
