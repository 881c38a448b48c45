import type { Readable } from 'node:stream';
import { stringify } from 'yaml';
import { TagstreamError } from '../../core/errors.js';
import type { Registry } from '../../core/registry.js';
import { beginsAsJson } from '../../io/lines/line-bytes.js';
import { beginningOf } from '../../io/reading/beginning-of.js';
import { refuseUtf16 } from '../../io/reading/first-bytes.js';
import { readsOnce } from '../../io/reading/read-bytes.js';
import { readHead } from '../../io/reading/read-head.js';
import type { CodecChoice } from '../../pipeline/catalogue/codec-of.js';
import { lookAtFile } from '../../pipeline/init/look-at-file.js';
import type { SourceComponent } from '../../pipeline/sources/source-component.js';
import { formatByExtension } from './input-format.js';
import { jsonFormat, ndjsonOptionsOf } from './json-format.js';

/** A format, and its name for `--from` if it was guessed from the content of the file. */
export interface ConvertibleFormat extends CodecChoice {
  readonly guessed?: string;
  /** Error for tags that are numbers without names. */
  readonly nameless?: TagstreamError | undefined;
}

/** Number of bytes of a file that are examined, as in `init`. */
const looked = 2 ** 20;

/**
 * Detects the format of a file to be converted, if none is named, by its extension, otherwise by
 * its beginning.
 *
 * @param isText whether any input other than JSON is plain text
 * @param option name of the option for the format
 * @throws TagstreamError `usage` if the format cannot be determined, `file`
 */
export async function convertibleFormat(
  file: string,
  sources: Registry<SourceComponent> | undefined,
  stdin: Readable,
  isText = false,
  option = '--from',
): Promise<ConvertibleFormat> {
  const named = formatByExtension(file, sources);
  if (named !== undefined && named !== 'ndjson') return { name: named, options: {} };
  if (file === '-') {
    const beginning = await beginningOf(stdin);
    if (mayBeJson(beginning)) return jsonOf(beginning, file);
    if (isText) return { name: 'text', options: {}, guessed: 'text' };
    throw unknownFormat('the standard input', 'it does not start with {, as NDJSON does', option);
  }
  // Input that can be read only once would be lost by reading ahead.
  if (readsOnce(file)) return { name: 'ndjson', options: {} };
  const head = await readHead(file, looked);
  refuseUtf16(head.bytes, file);
  const beginning = Buffer.from(head.bytes).toString();
  if (named === 'ndjson' || mayBeJson(beginning)) return jsonOf(beginning, file);
  if (isText) return { name: 'text', options: {}, guessed: 'text' };
  try {
    const { format: name, options } = lookAtFile(head, file, {});
    return { name, options, guessed: asNamed(name, options) };
  } catch (cause) {
    const problem = cause instanceof TagstreamError ? cause.problem : String(cause);
    throw unknownFormat(file, problem, option, cause);
  }
}

/** Returns whether the input may be JSON; an empty input may be in any format. */
function mayBeJson(beginning: string): boolean {
  return beginning.trim() === '' || beginsAsJson(beginning);
}

async function jsonOf(beginning: string, file: string): Promise<ConvertibleFormat> {
  const name = jsonFormat(beginning);
  if (name !== 'ndjson') return { name, options: {}, guessed: name };
  let nameless: TagstreamError | undefined;
  const onNameless = (error: TagstreamError) => {
    nameless = error;
  };
  const options = await ndjsonOptionsOf(file, beginning, { untagged: false, onNameless });
  if (Object.keys(options).length === 0) return { name, options, nameless };
  return { name, options, nameless, guessed: asNamed(name, options) };
}

/** Returns the text with which the command line names a format. */
function asNamed(name: string, options: CodecChoice['options']): string {
  if (Object.keys(options).length === 0) return name;
  return `${name}:${stringify(options, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trim()}`;
}

function unknownFormat(
  file: string,
  problem: string,
  option: string,
  cause?: unknown,
): TagstreamError {
  return new TagstreamError('usage', `cannot tell the format of ${file}: ${problem}`, {
    fix: `name it with ${option} FORMAT, as in ${option} text, or ${option} 'conll:{columns: [form, pos, tag]}'`,
    cause,
  });
}
