import { readBytes } from '../../io/reading/read-bytes.js';
import { parseDictionary } from '../../models/labels/parse-dictionary.js';
import type { TaggingOptions } from '../../pipeline/tagging/tagging-options.js';
import { decodeOptions } from '../../pipeline/tagging/tagging-options.js';
import type { TagArguments } from './tag-arguments.js';

/**
 * The arguments of `tag` that say what becomes of records, as plain data; a dictionary is read.
 *
 * @throws TagstreamError `file`, `config`
 */
export function taggingOptions(given: TagArguments): TaggingOptions {
  const { output, scores, dictionary, ...rest } = given;
  return { output, scores, ...decodeOptions({ ...rest, dictionary: readDictionary(dictionary) }) };
}

/**
 * The entries of a dictionary file; false and nothing stay.
 *
 * @throws TagstreamError `file`, `config`
 */
export function readDictionary(file: string | false | undefined): TaggingOptions['dictionary'] {
  if (file === undefined || file === false) return file;
  return parseDictionary(new TextDecoder().decode(readBytes(file)), file);
}
