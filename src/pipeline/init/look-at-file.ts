import { TagstreamError } from '../../core/errors.js';
import { isBlank } from '../../io/codecs/read-line-records.js';
import { beginsAsJson } from '../../io/lines/begins-as-json.js';
import { jsonArrayLines } from '../../io/lines/json-array-lines.js';
import type { Head } from '../../io/reading/read-head.js';
import { notUtf8, refuseUtf16 } from '../../io/reading/refuse-utf16.js';
import type { Guess, Hints } from './guess/guess.js';
import { guessColumns } from './guess/guess-columns.js';
import { guessConllu, isConllu } from './guess/guess-conllu.js';
import { guessCrfsuite, isCrfsuite } from './guess/guess-crfsuite.js';
import { foreignNameIn, guessForeign } from './guess/guess-foreign.js';
import { guessLetters } from './guess/guess-letters.js';
import { guessNdjson } from './guess/guess-ndjson.js';
import { guessSlash } from './guess/guess-slash.js';
import { notLabelled } from './guess/not-labelled.js';
import { isPlainText, withoutLabels } from './guess/plain-text.js';

/**
 * Says what a labelled file is, by its beginning.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `wrong-shape` if it is not labelled, `invalid-utf8`, `empty-sentence`
 */
export function lookAtFile(head: Head, source: string, hints: Hints): Guess {
  if (source.endsWith('.spacy')) {
    throw notLabelled('a DocBin of spaCy, which spaCy alone reads', source, {
      fix: 'write JSONL with spaCy first, of each document json.dumps(doc.to_json()); tagstream init reads that',
    });
  }
  if (source.endsWith('.ann')) {
    throw notLabelled('annotations of brat, which has a file for each text', source, {
      fix: 'make one file of them: tagstream convert FOLDER/*.ann --to spans --out labelled.jsonl',
    });
  }
  const lines = linesOf(inLines(head), source);
  const filled = lines.filter(line => !isBlank(line));
  const first = filled[0];
  if (first === undefined) {
    throw new TagstreamError('empty-sentence', 'the file is empty', { place: { source } });
  }
  if (beginsAsJson(first)) {
    const foreign = hints.tag === undefined ? foreignNameIn(filled) : undefined;
    return foreign === undefined ? guessNdjson(filled, source, hints) : guessForeign(foreign);
  }
  if (isConllu(filled)) return guessConllu(filled, source, hints);
  if (hints.columns === undefined && isCrfsuite(filled))
    return guessCrfsuite(filled, source, hints);
  const slash = hints.columns === undefined ? guessSlash(filled) : undefined;
  if (slash !== undefined) return slash;
  const areNamed = hints.columns !== undefined || hints.tag !== undefined;
  if (!areNamed && isPlainText(filled)) throw withoutLabels('plain text', source);
  const blanks = lines.slice(0, -1).some(isBlank);
  const letters = blanks || hints.columns !== undefined ? undefined : guessLetters(filled);
  return letters ?? guessColumns(lines, source, hints);
}

/** The beginning of a JSON array as lines. */
function inLines(head: Head): Head {
  if (!jsonArrayLines.isNeeded(head.bytes)) return head;
  return { ...head, bytes: jsonArrayLines.begin().lines(head.bytes) };
}

/** The whole lines of the beginning of a file. */
function linesOf({ bytes, whole }: Head, source: string): string[] {
  refuseUtf16(bytes, source);
  const end = whole ? bytes.length : bytes.lastIndexOf(10) + 1;
  if (end === 0 && bytes.length > 0) throw notLabelled('its first line does not end', source);
  const whatIsThere = bytes.subarray(0, end);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(whatIsThere).split(/\r?\n\uFEFF*/);
  } catch {
    throw notUtf8('it is not UTF-8', 'latin1', source);
  }
}
