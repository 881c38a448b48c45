import type { TagstreamError } from '../../../core/errors.js';
import { isStoredLexicon, Lexicon, type StoredLexicon } from '../../../features/context/lexicon.js';
import type { ModelHeader } from '../model-header.js';
import { jsonOf, type SectionFile, type Sections } from '../section-file.js';

const name = 'lexicon';

/** The section that holds a lexicon, as JSON; none of no lexicon. */
export function lexiconSection(lexicon: Lexicon | undefined): Sections {
  if (lexicon === undefined) return {};
  return { [name]: new TextEncoder().encode(JSON.stringify(lexicon.stored)) };
}

/** The same as it stands in a file. */
export function copiedLexicon(file: SectionFile): Sections {
  return file.has(name) ? { [name]: file.section(name, 'Uint8Array') } : {};
}

/**
 * The lexicon of a model file. Its section is read, and parsed when a word is looked up first: tens of thousands of words are
 * a tenth of the time in which a model is read.
 *
 * @param capitals as `Lexicon` takes it
 * @throws what `fail` makes of a section that is absent or damaged, and from the lexicon of one that is none
 */
export function readLexicon(
  file: SectionFile,
  { lexicon }: ModelHeader,
  capitals: boolean,
  fail: (what: string) => TagstreamError,
): Lexicon | undefined {
  if (lexicon === undefined) return undefined;
  if (lexicon !== true) return new Lexicon(lexicon, capitals);
  const bytes = file.section(name, 'Uint8Array');
  return new Lexicon(() => parsed(bytes, fail), capitals);
}

function parsed(bytes: Uint8Array, fail: (what: string) => TagstreamError): StoredLexicon {
  const wrong = () => fail('its lexicon is no list of classes of words');
  const value = jsonOf(bytes, wrong);
  if (!isStoredLexicon(value)) throw wrong();
  return value;
}
