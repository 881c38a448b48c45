import type { TagstreamError } from '../../../core/errors.js';
import { isStoredLexicon, Lexicon, type StoredLexicon } from '../../../features/context/lexicon.js';
import type { ModelHeader } from '../model-header.js';
import { jsonOf, type SectionFile, type Sections } from '../section-file.js';

const name = 'lexicon';

/** Returns the section that holds a lexicon as JSON; empty without a lexicon. */
export function lexiconSection(lexicon: Lexicon | undefined): Sections {
  if (lexicon === undefined) return {};
  return { [name]: new TextEncoder().encode(JSON.stringify(lexicon.stored)) };
}

/** Returns the lexicon as stored in a file. */
export function copiedLexicon(file: SectionFile): Sections {
  return file.has(name) ? { [name]: file.section(name, 'Uint8Array') } : {};
}

/**
 * Reads the lexicon of a model file. The lexicon is parsed at the first lookup, because parsing tens of thousands
 * of words takes a tenth of the time of reading a model.
 *
 * @param capitals as in `Lexicon`
 * @throws the error that `fail` returns for a missing or damaged section; the lexicon throws it for a malformed one
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
  return new Lexicon(() => parsed(bytes, fail), capitals, bytes);
}

function parsed(bytes: Uint8Array, fail: (what: string) => TagstreamError): StoredLexicon {
  const wrong = () => fail('its lexicon is not a list of word classes');
  const value = jsonOf(bytes, wrong);
  if (!isStoredLexicon(value)) throw wrong();
  return value;
}
