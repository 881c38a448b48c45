import { readBytes } from '../../io/reading/read-bytes.js';
import { parseDictionary } from '../../models/labels/parse-dictionary.js';
import { readRulesFile } from '../../pipeline/options/rule-options.js';
import type { TaggingOptions } from '../../pipeline/tagging/tagging-options.js';
import { decodeOptions } from '../../pipeline/tagging/tagging-options.js';
import type { TagArguments } from './tag-arguments.js';

/**
 * The arguments of `tag` that say what becomes of records, as plain data; a dictionary and rules are read.
 *
 * @throws TagstreamError `file`, `config`
 */
export function taggingOptions(given: TagArguments): TaggingOptions {
  const { output, scores, redact, dictionary, rules, ...rest } = given;
  const read = { dictionary: readDictionary(dictionary), rules: rulesOf(rules) };
  return { output, scores, redact, ...decodeOptions({ ...rest, ...read }) };
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

/**
 * The rules of a file; nothing stays.
 *
 * @throws TagstreamError `file`, `config`
 */
export function rulesOf(file: string | undefined): TaggingOptions['rules'] {
  return file === undefined ? undefined : readRulesFile(file);
}
