import { parseAbbreviations } from '../../text/sentences/abbreviations.js';
import { readText } from './read-text.js';

/**
 * The abbreviations of a file, one a line.
 *
 * @throws TagstreamError `file`, `invalid-utf8`; `wrong-shape` at a line that is not an abbreviation
 */
export function readAbbreviations(path: string): string[] {
  return parseAbbreviations(readText(path), path);
}
