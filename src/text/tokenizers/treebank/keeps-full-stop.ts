import { endsInAbbreviation } from '../../sentences/abbreviations.js';
import { isWhiteSpace } from '../../white-space.js';

/** Abbreviations that keep their full stop whatever follows; in lower case. */
const listed = new Set(
  `inc corp co ltd llc bros jr sr esq etc al mr mrs ms mx dr drs prof rev hon gen col maj capt cmdr lt sgt cpl
  sen rep gov pres supt st mt ft ave blvd rd sq assn dept univ intl natl govt mfg
  jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
  ala ariz ark calif colo conn del fla ga ill ind kan ky la mass md mich minn miss mo mont neb nev okla ore
  pa penn tenn tex va vt wash wis wyo vs approx est`.split(/\s+/),
);

/** Of these the capital form alone is an abbreviation: `Sat.`, not `sat.` */
const capitalOnly = new Set(
  `ill mar sat sun wed fri mon jan col gen rev hon rep gov lt capt
  ala ark del ga ill ind kan ky la mass md miss mo pa tex va vt wash fla ore st mt co`.split(/\s+/),
);

const letters = /^[\p{L}\p{M}]+$/u;
const dotted = /^\p{L}{1,3}(?:\.\p{L}{1,3})+$/u;

/** No abbreviation has more. */
const longest = 16;

/**
 * Whether the full stop at `stop` belongs to the word that begins at `word`: to an abbreviation, or to
 * initials. Where a chunk ends with it, the word after it may decide.
 *
 * @param chunkEnd where white space or the text's end follows
 * @example
 * keepsFullStop('Acme Inc. rose', 5, 8, 9) // => true
 * keepsFullStop('So did I. Then', 7, 8, 9) // => false
 */
export function keepsFullStop(text: string, word: number, stop: number, chunkEnd: number): boolean {
  if (stop - word < 1 || stop - word > longest) return false;
  const written = text.slice(word, stop);
  if (dotted.test(written)) return true;
  if (!letters.test(written)) return false;
  const lower = written.toLowerCase();
  if (listed.has(lower) && (lower !== written || !capitalOnly.has(lower))) return true;
  return endsInAbbreviation(text, stop + 1, nextWord(text, stop + 1, chunkEnd));
}

/** The letters and digits that come after white space; nothing where the chunk continues. */
function nextWord(text: string, from: number, chunkEnd: number): string {
  if (from !== chunkEnd) return '';
  let start = from;
  while (start < text.length && isWhiteSpace(text.charCodeAt(start))) start += 1;
  let end = start;
  while (end < text.length && end - start < longest && !isWhiteSpace(text.charCodeAt(end)))
    end += 1;
  return /^[\p{L}\p{M}\p{N}]*/u.exec(text.slice(start, end))![0];
}
