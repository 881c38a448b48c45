import type { TagstreamError } from '../../../core/errors.js';
import type {
  StoredExpander,
  StoredTokenizer,
} from '../../../text/tokenizers/bundled-tokenizer.js';
import { readLabels } from '../../labels/stored-labels.js';
import { tagsCharacters } from '../../text/character-tagger.js';
import { withoutTokenizer } from '../../text/learned-tokenizer.js';
import { type ModelHeader, modelHeaderOf, newestFormatVersion } from '../model-header.js';
import {
  damagedModel,
  type FileBytes,
  readSections,
  type SectionFile,
  type Sections,
  withBytes,
} from '../section-file.js';

/** Sections of the model file of a bundle's tokenizer, and of the contexts that need no model. */
const names = {
  file: 'tokenizer',
  certain: 'tokenizer.certain',
  words: 'tokenizer.words',
} as const;

/** Returns the sections of a tokenizer; empty without a tokenizer. */
export function tokenizerSections(stored: StoredTokenizer | undefined): Sections {
  if (stored === undefined) return {};
  const words = stored.expander?.bytes;
  return {
    [names.file]: stored.bytes,
    [names.certain]: stored.certain,
    ...(words === undefined ? {} : { [names.words]: words }),
  };
}

/** Returns whether a section belongs to a tokenizer. */
export function isOfTokenizer(section: string): boolean {
  return Object.values<string>(names).includes(section);
}

/** Returns the tokenizer in the header of a model file. */
export function tokenizerHeader({
  locale,
  expander,
}: StoredTokenizer): NonNullable<ModelHeader['tokenizer']> {
  return { locale, ...(expander === undefined ? {} : { words: expander.words }) };
}

function expanderBytes(
  file: SectionFile,
  words: StoredExpander['words'],
  fail: (what: string) => TagstreamError,
): Uint8Array<ArrayBuffer> | undefined {
  const isChosen = Object.values(words).some(each => each.length > 1);
  if (isChosen !== file.has(names.words)) throw fail('its words do not match its header');
  if (!isChosen) return undefined;
  return file.section(names.words, 'Uint8Array') as Uint8Array<ArrayBuffer>;
}

/**
 * Returns the tokenizer that a model file provides: the one it contains, or the whole file if it
 * tags characters and its tags mark words.
 *
 * @throws TagstreamError `config` if the file has none, and the errors of `readTokenizer`
 */
export function requireStoredTokenizer(bytes: Uint8Array, source: string): StoredTokenizer {
  const file = readSections(bytes, newestFormatVersion, source);
  const header = modelHeaderOf(file, source);
  const stored = readTokenizer(file, header, damagedModel(source));
  if (stored !== undefined) return stored;
  const { spec } = header;
  const labels = readLabels(header, spec);
  if (labels === undefined || !tagsCharacters(spec, labels.tags)) {
    throw withoutTokenizer('the model', { source });
  }
  const { locale } = spec.tokenize as { readonly locale: string };
  return { bytes: Uint8Array.from(bytes), certain: new Uint32Array(0), locale };
}

/**
 * Returns the tokenizer in a model file; undefined if it has none.
 *
 * @throws the error that `fail` returns for a header that names a missing tokenizer, or a tokenizer that
 * the header does not name
 */
export function readTokenizer(
  file: SectionFile,
  { tokenizer, spec }: ModelHeader,
  fail: (what: string) => TagstreamError,
): StoredTokenizer | undefined {
  if (file.has(names.file) !== (tokenizer !== undefined)) {
    throw fail('its tokenizer does not match its header');
  }
  if (tokenizer === undefined) {
    if (spec.tokenize?.tokenizer === 'learned') throw fail('its tokenizer is missing');
    return undefined;
  }
  const stored = {
    certain: file.section(names.certain, 'Uint32Array') as Uint32Array<ArrayBuffer>,
    locale: tokenizer.locale,
    ...(tokenizer.words === undefined
      ? {}
      : {
          expander: { words: tokenizer.words, bytes: expanderBytes(file, tokenizer.words, fail) },
        }),
  };
  return withBytes(stored, file, names.file);
}

/** Returns the model file of a tokenizer, to be read part by part. */
export function tokenizerFile(file: SectionFile): FileBytes {
  return file.file(names.file);
}
