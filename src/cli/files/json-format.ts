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
  const bytes = Buffer.from(beginning.replace(/^\uFEFF/, ''));
  const lines = jsonArrayLines.isNeeded(bytes) ? jsonArrayLines.begin()(bytes) : bytes;
  const filled = Buffer.from(lines)
    .toString()
    .split('\n')
    .filter(line => line.trim() !== '');
  return foreignNameIn(filled.slice(0, 1)) ?? 'ndjson';
}
