import { TagstreamError } from '../../core/errors.js';
import { suggestion } from '../../core/schema/suggestion.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import { Checker } from '../file/check.js';
import { parseYaml } from '../file/yaml-document.js';
import { type Corpus, catalogueSchema } from './catalogue-schema.js';

/**
 * The corpora of a catalogue file.
 *
 * @throws TagstreamError `file`, or `config` with line and column
 */
export function readCatalogue(path: string): readonly Corpus[] {
  const yaml = parseYaml(new TextDecoder().decode(readBytes(path)), path);
  return new Checker(yaml).parse(catalogueSchema, yaml.value).corpora;
}

/**
 * The corpus of a name.
 *
 * @throws TagstreamError `usage` if there is none
 */
export function corpusNamed(corpora: readonly Corpus[], name: string): Corpus {
  const found = corpora.find(corpus => corpus.name === name);
  if (found !== undefined) return found;
  const names = corpora.map(corpus => corpus.name);
  throw new TagstreamError('usage', `there is no corpus ${name} in the catalogue`, {
    fix: suggestion(name, names),
  });
}
