import { jsonLayoutOf } from '../../io/codecs/ndjson/json-document-lines.js';
import { jsonArrayLines } from '../../io/lines/json-array-lines.js';
import type { CodecChoice } from '../../pipeline/catalogue/codec-of.js';
import { foreignNameIn } from '../../pipeline/init/guess/guess-foreign.js';
import type { NeededOptions } from '../../pipeline/init/guess/guess-ndjson.js';
import { beginningOfFile, neededOptions } from '../../pipeline/init/look-at-file.js';

/**
 * Returns the format of JSON records from the beginning of the input: that of an annotation tool,
 * otherwise NDJSON.
 *
 * @example
 * jsonFormat('{"text": "Go, Ann", "label": [[4, 7, "PER"]]}\n{"text') // => 'doccano'
 * jsonFormat('[{"tokens": ["a"]},') // => 'ndjson'
 */
export function jsonFormat(beginning: string): string {
  if (jsonLayoutOf(beginning) !== undefined) return 'ndjson';
  return foreignNameIn(recordsOf(beginning)) ?? 'ndjson';
}

/**
 * Returns the format of an input that is only tagged. NDJSON keeps the fields that annotation tools
 * write next to a text, so their formats are needed only if the text is not a top-level field.
 *
 * @example
 * untaggedJsonFormat('{"text": "Go, Ann", "label": [[4, 7, "PER"]]}') // => 'ndjson'
 * untaggedJsonFormat('[{"id": 1, "data": {"text": "Go, Ann"}}') // => 'label-studio'
 */
export function untaggedJsonFormat(beginning: string): string {
  if (jsonLayoutOf(beginning) !== undefined) return 'ndjson';
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

/** Returns the lines of the records; the last line may be incomplete. */
function recordsOf(beginning: string): readonly string[] {
  const bytes = Buffer.from(beginning.replaceAll(/^\uFEFF+/gm, ''));
  const lines = jsonArrayLines.isNeeded(bytes) ? jsonArrayLines.begin().lines(bytes) : bytes;
  return Buffer.from(lines)
    .toString()
    .split('\n')
    .filter(line => line.trim() !== '');
}

/** Number of bytes of a file that are examined, as in `init`. */
const looked = 2 ** 20;

/**
 * Returns the options needed to read NDJSON completely; most inputs need none. See `neededOptions`.
 *
 * @param beginning beginning of the standard input; files are read
 */
export async function ndjsonOptionsOf(
  file: string,
  beginning: string,
  needed: NeededOptions,
): Promise<CodecChoice['options']> {
  const head =
    file === '-'
      ? { bytes: Buffer.from(beginning), whole: true }
      : await beginningOfFile(file, looked);
  return neededOptions(head, file, needed);
}
