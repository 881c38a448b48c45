import { jsonArrayLines } from '../../io/lines/json-array-lines.js';
import { foreignNameIn } from '../../pipeline/init/guess/guess-foreign.js';

/**
 * The format of an input of JSON records by its beginning: that of an annotation tool, else NDJSON.
 *
 * @example
 * jsonFormat('{"text": "Go, Ann", "label": [[4, 7, "PER"]]}\n{"text') // => 'doccano'
 * jsonFormat('[{"tokens": ["a"]},') // => 'ndjson'
 */
export function jsonFormat(beginning: string): string {
  return foreignNameIn(recordsOf(beginning)) ?? 'ndjson';
}

/**
 * The same of an input that is only tagged: NDJSON keeps what annotation tools write beside a text, so that their formats
 * are needed only where the text is not a field of its own.
 *
 * @example
 * untaggedJsonFormat('{"text": "Go, Ann", "label": [[4, 7, "PER"]]}') // => 'ndjson'
 * untaggedJsonFormat('[{"id": 1, "data": {"text": "Go, Ann"}}') // => 'label-studio'
 */
export function untaggedJsonFormat(beginning: string): string {
  const [line] = recordsOf(beginning);
  return line === undefined || hasOwnText(line) ? 'ndjson' : (foreignNameIn([line]) ?? 'ndjson');
}

function hasOwnText(line: string): boolean {
  try {
    const { text, tokens } = JSON.parse(line);
    return text !== undefined || tokens !== undefined;
  } catch {
    return true;
  }
}

/** The lines of the records; the last one may be a part of one. */
function recordsOf(beginning: string): readonly string[] {
  const bytes = Buffer.from(beginning.replaceAll(/^\uFEFF+/gm, ''));
  const lines = jsonArrayLines.isNeeded(bytes) ? jsonArrayLines.begin().lines(bytes) : bytes;
  return Buffer.from(lines)
    .toString()
    .split('\n')
    .filter(line => line.trim() !== '');
}
