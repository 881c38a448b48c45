import { TagstreamError } from '../../../engine/core/errors.js';
import {
  type JsonLayout,
  jsonLayoutOf,
  jsonLines,
} from '../../../formats/codecs/ndjson/json-document-lines.js';
import { isBlank } from '../../../formats/codecs/read-line-records.js';
import { beginsAsJson } from '../../../formats/lines/line-bytes.js';
import { notUtf8, refuseUtf16 } from '../../../formats/reading/first-bytes.js';
import { readsOnce } from '../../../formats/reading/read-bytes.js';
import { type Head, readHead } from '../../../formats/reading/read-head.js';
import type { Guess, Hints } from './guess/column-look.js';
import { guessColumns } from './guess/guess-columns.js';
import { guessConllu, isConllu } from './guess/guess-conllu.js';
import { guessCrfsuite, isCrfsuite } from './guess/guess-crfsuite.js';
import { foreignNameIn, guessForeign } from './guess/guess-foreign.js';
import { guessLetters } from './guess/guess-letters.js';
import { guessNdjson, type NeededOptions, neededFields } from './guess/guess-ndjson.js';
import { guessSlash } from './guess/guess-slash.js';
import { guessWebanno, isWebanno } from './guess/guess-webanno.js';
import { labelNamesOf } from './guess/label-names.js';
import { isPlainText, notLabelled, withoutLabels } from './guess/not-labelled.js';

/**
 * Guesses the format and contents of a labelled file from its beginning.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `wrong-shape` if it is not labelled, `invalid-utf8`, `empty-sentence`
 */
export function lookAtFile(head: Head, source: string, hints: Hints): Guess {
  if (source.endsWith('.spacy')) {
    throw notLabelled('a spaCy DocBin, which only spaCy can read', source, {
      fix: 'write JSONL with spaCy first, json.dumps(doc.to_json()) for each document; tagstream init reads that',
    });
  }
  if (source.endsWith('.ann')) {
    throw notLabelled('brat annotations, which have a file per text', source, {
      fix: 'merge them into one file: tagstream convert FOLDER/*.ann --to spans --out labelled.jsonl',
    });
  }
  const beginning = new TextDecoder().decode(head.bytes);
  const records = beginsAsJson(beginning) ? jsonLayoutOf(beginning) : undefined;
  const lines = linesOf(inLines(head, records), source);
  const filled = lines.filter(line => !isBlank(line));
  const first = filled[0];
  if (first === undefined) {
    throw new TagstreamError('empty-sentence', 'the file is empty', { place: { source } });
  }
  if (beginsAsJson(first)) {
    if (records !== undefined)
      return guessDocument(filled, source, hints, { records, text: beginning });
    const foreign = hints.tag === undefined ? foreignNameIn(filled) : undefined;
    return foreign === undefined ? guessNdjson(filled, source, hints) : guessForeign(foreign);
  }
  if (isWebanno(filled)) return guessWebanno(filled, source, hints);
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

interface JsonDocument {
  readonly records: JsonLayout;
  /** Text of the whole file. */
  readonly text: string;
}

/** Guesses the contents of a file that is one JSON object. */
function guessDocument(
  lines: readonly string[],
  source: string,
  hints: Hints,
  document: JsonDocument,
): Guess {
  const guess = guessNdjson(lines, source, documentHints(hints, document));
  const what =
    document.records === 'rows'
      ? 'a JSON object with records in rows'
      : 'a JSON object with a list for each field';
  return {
    ...guess,
    options: { records: document.records, ...guess.options },
    reasons: [`${what}; ${guess.reasons[0]}`, ...guess.reasons.slice(1)],
  };
}

/** Returns the hints with the names of numeric labels from the file itself. */
function documentHints(hints: Hints, { records, text }: JsonDocument): Hints {
  if (records === 'columns') return hints;
  const { rows: _, ...rest } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return { ...hints, namesOf: field => labelNamesOf(rest, field) };
}

/** Returns the options needed to read the records and tags of a JSON file; see `neededFields`. */
export function neededOptions(
  head: Pick<Head, 'bytes' | 'whole'>,
  source: string,
  { untagged, onNameless }: NeededOptions,
): Guess['options'] {
  const text = new TextDecoder().decode(head.bytes);
  const records = jsonLayoutOf(text);
  try {
    const lines = linesOf(inLines(head, records), source).filter(line => !isBlank(line));
    const hints = records === undefined ? {} : documentHints({}, { records, text });
    const fields = neededFields(lines, source, hints, { untagged, onNameless });
    return records === undefined ? fields : { records, ...fields };
  } catch (thrown) {
    // Unreadable content is reported when the codec reads it.
    if (thrown instanceof TagstreamError) return records === undefined ? {} : { records };
    throw thrown;
  }
}

/**
 * Returns the beginning of a file, or the whole file if it is one JSON object, whose records are only complete at its
 * end.
 */
export async function beginningOfFile(file: string, looked: number): Promise<Head> {
  const head = await readHead(file, looked);
  if (head.whole || readsOnce(file)) return head;
  const isObject = jsonLayoutOf(new TextDecoder().decode(head.bytes)) !== undefined;
  return isObject ? await readHead(file, Number.POSITIVE_INFINITY) : head;
}

/** Returns the beginning of a JSON array, or of a JSON object with records, as lines. */
function inLines<Part extends Pick<Head, 'bytes'>>(
  head: Part,
  records: JsonLayout | undefined,
): Part {
  const change = jsonLines(records);
  if (!change.isNeeded(head.bytes)) return head;
  const maker = change.begin();
  const lines = maker.lines(head.bytes);
  return { ...head, bytes: records === undefined ? lines : maker.end().rest };
}

/** Returns the complete lines at the beginning of a file. */
function linesOf({ bytes, whole }: Pick<Head, 'bytes' | 'whole'>, source: string): string[] {
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
